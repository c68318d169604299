// Prepares a fresh clone: the first step of every npm script. It runs on the host's Node (20 or newer) before anything is
// installed, so it imports only Node's own modules.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { constants, lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { can } from "./environment.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const oldestNode = 20;
const oldestGo = [1, 24];

/** The commands that each flag needs, and the Debian packages that contain them. */
const toolsOf = {
  // The private networks of the tests, the demo and the reports.
  "--network": {
    ...{ unshare: "util-linux", nsenter: "util-linux", mount: "mount" },
    ...{ ip: "iproute2", iptables: "iptables", nft: "nftables" },
  },
  "--tests": {
    // For ELF headers, an otherwise empty host, signatures, killed commands, packages, and the script for bash and jq.
    ...{ readelf: "binutils", busybox: "busybox-static", minisign: "minisign", strace: "strace", rpm: "rpm", jq: "jq" },
    // A router that advertises prefixes.
    radvd: "radvd",
    // They read what is made for them: completions, manual pages, units, certificates.
    ...{ zsh: "zsh", fish: "fish", groff: "groff-base", "systemd-analyze": "systemd", openssl: "openssl" },
  },
  // A bare Debian with a clone of this repository.
  "--fresh": { mmdebstrap: "mmdebstrap", unshare: "util-linux", mount: "mount", git: "git" },
  // The benchmark runs a script for bash and jq, and a C program that does nothing.
  "--bench": { bash: "bash", jq: "jq", cc: "build-essential" },
  // Nomad is built with cgo.
  "--nomad": { cc: "build-essential", bash: "bash", jq: "jq" },
  // Container runtimes, a program for the containers, a DHCP server.
  "--runtimes": {
    ...{ podman: "podman", crun: "crun", containerd: "containerd", ctr: "containerd" },
    ...{ busybox: "busybox-static", dnsmasq: "dnsmasq-base", radvd: "radvd", jq: "jq" },
  },
  // The page in a real browser.
  "--page": { chromium: "chromium" },
  // User Mode Linux, the loader of its modules, and a C compiler for what is preloaded into it.
  "--kernel": { "linux.uml": "user-mode-linux", modprobe: "kmod", taskset: "util-linux", cc: "build-essential" },
};

const flags = Object.keys(toolsOf).filter((flag) => process.argv.includes(flag));
const tools = Object.assign({}, ...flags.map((flag) => toolsOf[flag]));
// cargo needs a C compiler for the slim flavor. Without one, the flavor is skipped, and the step that builds it says so.
const compiler = flags.includes("--tests") && find("cargo") && !("cc" in tools) ? { cc: "build-essential" } : {};
// Debian has the package for this architecture only. Without it, the step that needs it is skipped, and says so.
const secondKernel = process.argv.includes("--try-kernel") && process.arch === "x64" ? toolsOf["--kernel"] : {};

checkNode();
if (flags.length > 0) prepareHost();
installPackages();

function checkNode() {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < oldestNode) fail(`Node ${process.versions.node} is too old: ${oldestNode} or newer is needed`);
}

/** Installs the tools that are missing. Fails with one line that names everything that the host still lacks. */
function prepareHost() {
  const lacking = [missingSystem(), missingRoot(), missingGo()].filter(Boolean);
  if (lacking.length === 0 && find("apt-get")) {
    installTools(tools, fail);
    installTools(compiler, say);
    installTools(secondKernel, say);
  }
  const missing = [...lacking, ...missingOf(tools)];
  if (missing.length > 0) fail(`missing: ${missing.join(", ")}`);
  const { status, stderr } = run("unshare", ["--net", "--mount", "--pid", "--fork", "true"]);
  if (status !== 0) fail(`this host does not let root make private namespaces: ${firstLine(stderr)}`);
}

function missingSystem() {
  return process.platform === "linux" ? undefined : `Linux (this is ${process.platform})`;
}

function missingRoot() {
  return process.getuid?.() === 0
    ? undefined
    : "root (to make private networks; the host's own network is not touched)";
}

function missingGo() {
  const wanted = `Go ${oldestGo.join(".")} or newer in PATH`;
  // Without the variable, Go may download another Go.
  const { status, stdout } = run("go", ["version"], { GOTOOLCHAIN: "local" });
  if (status !== 0) return wanted;
  const [version = "", major, minor] = /go(\d+)\.(\d+)/.exec(stdout) ?? [];
  const distance = major - oldestGo[0] || minor - oldestGo[1];
  return distance >= 0 ? undefined : `${wanted} (this is ${version})`;
}

function missingOf(wanted) {
  return Object.keys(wanted).filter((tool) => !find(tool));
}

/** Installs missing tools. If apt-get cannot install them, reports all of them. */
function installTools(wanted, report) {
  const missing = missingOf(wanted);
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((tool) => wanted[tool]))];
  say(`installing ${packages.join(", ")} (apt-get)`);
  // If the update fails, the packages may still be available: only the installation decides.
  aptGet("update");
  const { status, stderr } = aptGet("install", "--yes", "--no-install-recommends", ...packages);
  if (status !== 0) report(`missing: ${missing.join(", ")}, and apt-get cannot install them: ${firstLine(stderr)}`);
}

function aptGet(...args) {
  const command = ["apt-get", "-q", "-o", "DPkg::Lock::Timeout=120", ...args];
  const [program, ...rest] = ["unshare", "mount"].every(find) ? withoutServices(command) : command;
  return run(program, rest, { DEBIAN_FRONTEND: "noninteractive" });
}

/** Returns the command with systemd's folders hidden from it. Otherwise Debian starts the services of new packages. */
function withoutServices(command) {
  const hide = "for place in /run/systemd /etc/systemd/system; do";
  const script = `${hide} [ ! -d $place ] || mount -t tmpfs none $place || exit; done; exec "$@"`;
  return ["unshare", "--mount", "sh", "-c", script, "sh", ...command];
}

/** Installs the locked packages, unless the last installation used the same lock file. */
function installPackages() {
  const directory = join(root, "node_modules");
  const stampFile = join(directory, ".setup");
  const lock = readFileSync(join(root, "package-lock.json"));
  const stamp = `${createHash("sha256").update(lock).digest("hex")} ${process.platform}-${process.arch}\n`;
  if (read(stampFile) === stamp) return;
  // npm ci would follow a link and empty a directory that belongs to another clone.
  if (lstatSync(directory, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(directory);
  say("installing the locked packages (npm ci)");
  const started = Date.now();
  // npm waits 10 s and 60 s before it tries again: too long for a host without a network.
  const retries = ["--fetch-retry-mintimeout=2000", "--fetch-retry-maxtimeout=10000"];
  npm(["ci", "--ignore-scripts", "--prefer-offline", "--no-progress", "--loglevel=error", ...retries]);
  checkInstalledNode();
  writeFileSync(stampFile, stamp);
  say(`done in ${Math.round((Date.now() - started) / 1000)} s`);
}

function npm(args) {
  // Uses the npm that runs the npm script: PATH may have another one, or none.
  const { npm_execpath: cli = "", npm_node_execpath: node = process.execPath } = process.env;
  const [command, ...prefix] = basename(cli) === "npm-cli.js" ? [node, cli] : ["npm"];
  const { status, stderr, error } = run(command, [...prefix, ...args]);
  if (error?.code === "ENOENT") fail("npm is missing: it comes with Node, but Debian has it in a separate package");
  if (status === 0) return;
  const unreachable = /ENOTFOUND|EAI_AGAIN|ECONN\w+|E\w*TIMEDOUT|ENETUNREACH|EHOSTUNREACH|SOCKET_TIMEOUT/.exec(stderr);
  if (unreachable) fail(`npm cannot reach its registry (${unreachable[0]}): is there a network?`);
  const reasons = stderr.replaceAll(/^npm error\s*/gm, "").split("\n");
  fail(`npm ci failed: ${reasons.filter(Boolean).slice(0, 3).join("; ")}`);
}

/** Node 24 is an optional package, and npm prints nothing if it leaves one out. */
function checkInstalledNode() {
  const { status } = run(join(root, "node_modules/.bin/node"), ["--version"]);
  if (status !== 0) fail("the locked Node does not run here: it needs Linux with glibc and libstdc++, on x64 or arm64");
}

function run(command, args, environment = {}) {
  const options = { cwd: root, encoding: "utf8", env: { ...process.env, ...environment } };
  const { stdout, stderr, ...result } = spawnSync(command, args, options);
  return { ...result, stdout: stdout ?? "", stderr: stderr ?? "" };
}

function find(command) {
  const candidates = (process.env.PATH ?? "").split(delimiter).map((directory) => join(directory, command));
  return candidates.some((path) => can(path, constants.X_OK));
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function firstLine(text) {
  return text.trim().split("\n")[0];
}

function say(line) {
  console.log(`setup: ${line}`);
}

function fail(line) {
  console.error(`setup: ${line}`);
  process.exit(1);
}
