/** Something that a caller of the npm scripts may have set. `$HOME` in a value is the caller's home directory. */
export interface Setting {
  /** One that is undefined is not set. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** Files in the home directory. */
  readonly files?: Readonly<Record<string, string>>;
  /** What the caller's shell runs before the script. */
  readonly shell?: string;
  /** It builds with caches of its own: what is in the cache already would not show anything. */
  readonly rebuilds?: true;
  /** What happened to the clone. */
  readonly inClone?: string;
  /** The variables that reach the programs all the same. */
  readonly reaches?: readonly string[];
  /** Hides other settings, so it is not combined with them. */
  readonly alone?: true;
}

/** No directory can be made there. */
const none = "/dev/null/none";
const noCaches = "unset XDG_CACHE_HOME CARGO_HOME GOMODCACHE GOCACHE npm_config_cache";
const deadProxy = "http://127.0.0.1:9";
const proxies = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
const hook = "#!/bin/sh\necho hostile\nexit 1\n";
const hostileGo =
  "GOFLAGS=-mod=vendor\nGO111MODULE=off\nGOOS=windows\nGOARCH=arm64\nGOPATH=relative\nGOTOOLCHAIN=go1.17+path\n";

/** Under each of these the npm scripts must pass. */
export const settings: Readonly<Record<string, Setting>> = {
  "an empty environment": { shell: 'exec env -i PATH="$PATH" "$@"', alone: true },
  "npm installs for production": {
    variables: { NODE_ENV: "production", npm_config_omit: "dev", npm_config_only: "production" },
  },
  "npm's file": {
    files: {
      ".npmrc":
        "omit[]=dev\nomit[]=optional\npackage-lock=false\nbin-links=false\ninstall-strategy=linked\ncolor=always\njson=true\nyes=false\nhostile=true\n",
    },
  },
  "Node's options": {
    variables: {
      ...{ NODE_OPTIONS: "--require=$HOME/hostile.cjs --conditions=hostile --stack-trace-limit=1", NODE_PATH: none },
      ...{ NODE_DEBUG: "timer", NODE_V8_COVERAGE: "$HOME/coverage", NODE_REPL_HISTORY: none },
    },
    files: { "hostile.cjs": 'process.stderr.write("hostile\\n");\n' },
  },
  "missing certificates": { variables: { NODE_EXTRA_CA_CERTS: none } },
  "Go's variables": {
    rebuilds: true,
    variables: {
      ...{ GOFLAGS: "-mod=vendor -v", GO111MODULE: "off", GOWORK: none, GOTOOLCHAIN: "go1.17+path" },
      ...{ GOOS: "windows", GOARCH: "arm64", CGO_ENABLED: "0", GOROOT: none, GOPATH: "relative", GOBIN: "bin" },
      ...{ GOTMPDIR: none, GODEBUG: "gctrace=1" },
    },
  },
  "Go's file, and a workspace above the clone": {
    rebuilds: true,
    files: { ".config/go/env": hostileGo },
    inClone: "printf 'go 1.24\\n' >../go.work",
  },
  "cargo's variables": {
    rebuilds: true,
    variables: {
      ...{ CARGO_TARGET_DIR: "relative", CARGO_BUILD_TARGET: "wasm32-unknown-unknown", CARGO_INCREMENTAL: "1" },
      ...{ RUSTFLAGS: "-Dwarnings --cfg hostile", RUSTC_WRAPPER: none, RUSTC: none },
      ...{ CARGO_PROFILE_RELEASE_OPT_LEVEL: "0", CARGO_ENCODED_RUSTFLAGS: "-Cno-such-option" },
    },
  },
  "cargo's file": {
    rebuilds: true,
    variables: { CARGO_HOME: "$HOME/.cargo" },
    files: {
      ".cargo/config.toml": [
        '[build]\ntarget = "wasm32-unknown-unknown"\ntarget-dir = "/dev/null/none"\nrustc-wrapper = "/dev/null/none"',
        'rustflags = ["-Cno-such-option"]\n[profile.release]\nopt-level = 0\ndebug = true\nstrip = false',
        '[term]\nverbose = true\ncolor = "always"\n',
      ].join("\n"),
    },
    reaches: ["CARGO_HOME"],
  },
  "a C compiler": {
    rebuilds: true,
    variables: {
      ...{ CC: none, CXX: none, AR: none, CFLAGS: "-Werror -m16", LDFLAGS: "-lhostile" },
      ...{ CPPFLAGS: "-Dmain=hostile", CPATH: none, LIBRARY_PATH: none, MAKEFLAGS: "--hostile" },
    },
  },
  "git's file": {
    files: {
      ".gitconfig": [
        "[core]\nautocrlf = true\nhooksPath = ~/hooks\nexcludesFile = ~/ignored\nfsmonitor = true\n[color]\nui = always",
        "[commit]\ngpgSign = true\n[init]\ndefaultBranch = hostile\ntemplateDir = ~/template\n[log]\nshowSignature = true",
        "[diff]\nnoprefix = true\n[status]\nshort = true\nbranch = true\n",
      ].join("\n"),
      ignored: "*\n",
      "hooks/pre-commit": hook,
      "template/hooks/pre-commit": hook,
    },
  },
  "git's variables in a hook": {
    variables: {
      ...{ GIT_DIR: none, GIT_WORK_TREE: none, GIT_INDEX_FILE: none, GIT_TRACE: "1" },
      ...{ GIT_CONFIG_PARAMETERS: "'core.autocrlf'='true'", GIT_CEILING_DIRECTORIES: "/" },
    },
  },
  "a clone of another user": { inClone: "chown -R 65534:65534 ." },
  "a locale that is not installed": {
    variables: { LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.ISO-8859-9", LANGUAGE: "tr:de", TZ: "Asia/Kathmandu" },
  },
  "umask 000": { shell: "umask 000" },
  "umask 077": { shell: "umask 077" },
  "a proxy that does not answer": {
    variables: Object.fromEntries(proxies.map((name) => [name, deadProxy])),
    reaches: proxies,
  },
  "a TMPDIR with spaces": { variables: { TMPDIR: "$HOME/a  'b' $c" }, files: { "a  'b' $c/file": "" }, alone: true },
  "a relative TMPDIR": { variables: { TMPDIR: "tmp" } },
  "a missing TMPDIR": { variables: { TMPDIR: none } },
  "a missing HOME": { variables: { HOME: none }, shell: noCaches, alone: true },
  "a HOME without caches": { shell: noCaches, alone: true },
  "XDG directories that are missing": {
    variables: {
      ...{ XDG_CONFIG_HOME: none, XDG_DATA_HOME: none, XDG_RUNTIME_DIR: none },
      ...{ XDG_STATE_HOME: none, XDG_CACHE_HOME: "relative" },
    },
    alone: true,
  },
  colors: { variables: { FORCE_COLOR: "3", CLICOLOR_FORCE: "1", COLORTERM: "truecolor" } },
  "no colors, and an unknown terminal": {
    variables: { NO_COLOR: "1", CLICOLOR: "0", TERM: "hostile", COLUMNS: "0", LINES: "0" },
    reaches: ["NO_COLOR", "TERM"],
  },
  shells: {
    variables: {
      ...{ CDPATH: "/:/tmp", BASH_ENV: "$HOME/hostile.sh", ENV: "$HOME/hostile.sh", IFS: "/", POSIXLY_CORRECT: "1" },
      ...{
        GREP_OPTIONS: "--color=always",
        TAR_OPTIONS: "--hostile",
        PS4: "hostile",
        "BASH_FUNC_cd%%": "() { false; }",
      },
    },
    files: { "hostile.sh": "echo hostile\n" },
  },
  "no stdin, few open files": { shell: "exec <&-; ulimit -Sn 64" },
  "PATH without root's programs": { shell: "PATH=$(echo \"$PATH\" | tr : '\\n' | grep -v sbin | tr '\\n' :)" },
  "continuous integration": {
    variables: { CI: "true", GITHUB_ACTIONS: "true", CONTINUOUS_INTEGRATION: "1" },
    reaches: ["CI"],
  },
  "a runtime's variables": {
    variables: {
      ...{ CNI_COMMAND: "ADD", CNI_CONTAINERID: "hostile", CNI_NETNS: none, CNI_IFNAME: "eth0", CNI_ARGS: "A=b" },
      ...{ CNI_WRAPPERS_LOG: none, CNI_WRAPPERS_LOG_LEVEL: "debug", CNI_WRAPPERS_BIN: none },
    },
  },
};

const common = Object.values(settings).filter(({ alone }) => !alone);

/** All of them at once that do not hide others. The clone stays as it is. */
export const together: Setting = {
  variables: Object.assign({}, ...common.map(({ variables }) => variables)),
  files: Object.assign({}, ...common.map(({ files }) => files)),
  shell: common.flatMap(({ shell = [] }) => shell).join("\n"),
};
