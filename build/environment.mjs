// The environment of the npm scripts. The caller's settings of the shell, npm, Node, Go, cargo, git, ... must not change what
// the scripts do, so only the variables below reach them. It runs before anything is installed, so it imports only Node's
// own modules.
import { spawnSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { userInfo } from "node:os";
import { delimiter, dirname, isAbsolute } from "node:path";

/** Go reads these from its own file, too. */
const registriesOfGo = /^GO(PROXY|NOPROXY|PRIVATE|SUMDB|NOSUMDB|INSECURE|AUTH|VCS)$/;

/** The way to the registries. */
export const registries = [
  registriesOfGo,
  /^((https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|CURL_CA_BUNDLE|NETRC)$/i,
  /^npm_config_(.*registry|.*_auth.*|ca|cafile|cert|key|strict_ssl|https?_proxy|proxy|noproxy|userconfig|globalconfig)$/i,
  /^CARGO_(HTTP|NET|REGISTRY|REGISTRIES|SOURCE)_/,
  /^PIP_(CERT|CLIENT_CERT|CONFIG_FILE|INDEX_URL|EXTRA_INDEX_URL|FIND_LINKS|PROXY|TRUSTED_HOST)$/,
];

const kept = [
  ...registries,
  // The npm that runs the script.
  /^npm_(node_)?execpath$/,
  // What CONTRIBUTING.md and build/release/README.md describe.
  /^(CI|CNI_PATH|CRIO_BIN|KUBELET_BIN|META_CNI_BIN|NERDCTL_BIN|NOMAD_BIN|OTHER_PLUGINS|UPDATE_CASES)$/,
  /^(RELEASE_BUILDER_ID|RELEASE_REPOSITORY|SOURCE_DATE_EPOCH)$/,
  // A person's terminal.
  /^(NO_COLOR|TERM)$/,
];

/** Each is kept if it is an absolute path of what can be a directory. A relative one is another directory for each program. */
const directories = /^(XDG_CACHE_HOME|CARGO_HOME|RUSTUP_HOME|GOPATH|GOMODCACHE|GOCACHE|npm_config_cache)$/;

/** What the programs get in any case. */
export const fixed = {
  ...{ LANG: "C.UTF-8", LC_ALL: "C.UTF-8", TZ: "UTC" },
  // git reads no file of the user or the host, and reads a clone of another user.
  ...{ GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
  ...{ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: "*" },
  // Go reads neither its file nor the workspace of a directory above, and does not ask git.
  ...{ GOENV: "off", GOWORK: "off", GOFLAGS: "-buildvcs=false" },
  // Variables win over the files of cargo. It asks the compiler for its version with these.
  ...{ RUSTC_WRAPPER: "", CARGO_ENCODED_RUSTFLAGS: "" },
  // And over those of npm.
  ...{ npm_config_include: "dev\n\noptional", npm_config_package_lock: "true", npm_config_bin_links: "true" },
  ...{ npm_config_install_strategy: "hoisted", npm_config_color: "false", npm_config_json: "false" },
};

/** Returns the environment of the npm scripts for a caller with this environment. */
export function environment(caller) {
  const { HOME, TMPDIR, NODE_EXTRA_CA_CERTS: certificates } = caller;
  const given = Object.entries({ ...settingsOfGo(caller), ...caller });
  return {
    ...Object.fromEntries(given.filter(([name, value]) => isKept(name, value))),
    ...fixed,
    PATH: searchPath(caller),
    HOME: isDirectory(HOME) ? HOME : userInfo().homedir,
    // The tests write its name into scripts of a shell.
    ...(isDirectory(TMPDIR) && /^[\w./-]+$/.test(TMPDIR) && { TMPDIR }),
    // Node complains about a file that it cannot read.
    ...(can(certificates, constants.R_OK) && { NODE_EXTRA_CA_CERTS: certificates }),
  };
}

function isKept(name, value) {
  if (directories.test(name)) return value !== undefined && isAbsolute(value) && canBe(value);
  return kept.some((pattern) => pattern.test(name));
}

/** Whether a directory is there or can be made. npm names a cache in a HOME that is missing. */
function canBe(directory) {
  try {
    return statSync(directory).isDirectory();
  } catch (error) {
    return error.code === "ENOENT" && canBe(dirname(directory));
  }
}

/** What Go's file says about registries. A wrong setting of another kind must not disturb the answer. */
function settingsOfGo({ PATH, HOME, XDG_CONFIG_HOME, GOENV, GOCACHE }) {
  const env = {
    ...{ PATH, HOME, XDG_CONFIG_HOME, GOENV, GOTOOLCHAIN: "local", GOPATH: "/", GOFLAGS: "-buildvcs=false" },
    // Go makes its cache before it answers. Without this one, it does so in HOME.
    ...(isKept("GOCACHE", GOCACHE) && { GOCACHE }),
  };
  const { status, stdout } = spawnSync("go", ["env", "-json", "-changed"], { cwd: "/", encoding: "utf8", env });
  const settings = status === 0 ? Object.entries(JSON.parse(stdout)) : [];
  return Object.fromEntries(settings.filter(([name]) => registriesOfGo.test(name)));
}

/** PATH with the directories of root's programs, which it lacks after `su`. */
function searchPath({ PATH = "" }) {
  const programs = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
  return [...new Set([...PATH.split(delimiter).filter(isAbsolute), ...programs])].join(delimiter);
}

function isDirectory(path) {
  return can(path, constants.W_OK) && statSync(path).isDirectory();
}

/** Whether this process may do something with the file at an absolute path. */
export function can(path, mode) {
  try {
    accessSync(path, mode);
    return isAbsolute(path);
  } catch {
    return false;
  }
}
