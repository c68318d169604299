// Brings a fresh clone to where everything else runs: the first step of every npm script. It runs on the Node that the
// host has (20 or newer) and before anything is installed, so it needs nothing but Node itself.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const oldestNode = 20;
const oldestGo = [1, 24];

/** What stands behind each flag: commands that are needed, and the Debian packages that bring them. */
const toolsOf = {
  // The private networks of the tests and the demo.
  "--network": {
    unshare: "util-linux",
    nsenter: "util-linux",
    mount: "mount",
    ip: "iproute2",
    iptables: "iptables",
    nft: "nftables",
    // The tests of the executables read their ELF headers.
    readelf: "binutils",
  },
  // What the benchmark compares with: a script for bash and jq, and a C program that does nothing.
  "--bench": { bash: "bash", jq: "jq", cc: "build-essential" },
  // Nomad is built with cgo.
  "--nomad": { cc: "build-essential", bash: "bash", jq: "jq" },
  // Container runtimes, what they run, and a DHCP server.
  "--runtimes": {
    podman: "podman",
    crun: "crun",
    containerd: "containerd",
    ctr: "containerd",
    busybox: "busybox-static",
    dnsmasq: "dnsmasq-base",
  },
};

const flags = Object.keys(toolsOf).filter((flag) => process.argv.includes(flag));
const tools = Object.assign({}, ...flags.map((flag) => toolsOf[flag]));
// With cargo, the slim flavor is built. Without a C compiler it is skipped, and the step that builds it says so.
const wishes = flags.length > 0 && find("cargo") && !("cc" in tools) ? { cc: "build-essential" } : {};

checkNode();
if (flags.length > 0) prepareHost();
installPackages();

function checkNode() {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < oldestNode) fail(`Node ${process.versions.node} is too old: ${oldestNode} or newer is needed`);
}

/** Sees to it that private networks can be made, with what apt can install; one line names all that it cannot. */
function prepareHost() {
  const lacking = [lackingSystem(), lackingRoot(), lackingGo()].filter(Boolean);
  if (lacking.length === 0 && find("apt-get")) {
    installTools(tools, fail);
    installTools(wishes, say);
  }
  const missing = [...lacking, ...missingOf(tools)];
  if (missing.length > 0) fail(`missing: ${missing.join(", ")}`);
  const { status, stderr } = run("unshare", ["--net", "--mount", "--pid", "--fork", "true"]);
  if (status !== 0) fail(`this host does not let root make private namespaces: ${firstLine(stderr)}`);
}

function lackingSystem() {
  return process.platform === "linux" ? undefined : `Linux (this is ${process.platform})`;
}

function lackingRoot() {
  return process.getuid?.() === 0
    ? undefined
    : "root (to make private networks; the host's own network is not touched)";
}

function lackingGo() {
  const wanted = `Go ${oldestGo.join(".")} or newer in PATH`;
  // Not the toolchain that some go.mod asks for: that one is downloaded when it is used.
  const { status, stdout } = run("go", ["version"], { GOTOOLCHAIN: "local" });
  if (status !== 0) return wanted;
  const [version = "", major, minor] = /go(\d+)\.(\d+)/.exec(stdout) ?? [];
  const distance = major - oldestGo[0] || minor - oldestGo[1];
  return distance >= 0 ? undefined : `${wanted} (this is ${version})`;
}

function missingOf(wanted) {
  return Object.keys(wanted).filter((tool) => !find(tool));
}

/** Installs those of the tools that are missing, and reports those that apt-get cannot install. */
function installTools(wanted, report) {
  const missing = missingOf(wanted);
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((tool) => wanted[tool]))];
  say(`installing ${packages.join(", ")} (apt-get)`);
  // A source that cannot be updated may be one that is not needed: the installation tells.
  aptGet("update");
  const { status, stderr } = aptGet("install", "--yes", "--no-install-recommends", ...packages);
  if (status !== 0) report(`missing: ${missing.join(", ")}, and apt-get cannot install them: ${firstLine(stderr)}`);
}

function aptGet(...args) {
  const options = ["-q", "-o", "DPkg::Lock::Timeout=120"];
  const command = ["apt-get", ...options, ...args];
  const [program, ...rest] = ["unshare", "mount"].every(find) ? withoutServices(command) : command;
  return run(program, rest, { DEBIAN_FRONTEND: "noninteractive" });
}

/** Debian enables and starts the services of what it installs. Where systemd and its links are out of sight, it does not. */
function withoutServices(command) {
  const hide = "for place in /run/systemd /etc/systemd/system; do";
  const script = `${hide} [ ! -d $place ] || mount -t tmpfs none $place || exit; done; exec "$@"`;
  return ["unshare", "--mount", "sh", "-c", script, "sh", ...command];
}

/** Installs the locked packages unless the last installation was of this very lock file. */
function installPackages() {
  const directory = join(root, "node_modules");
  const stampFile = join(directory, ".setup");
  const lock = readFileSync(join(root, "package-lock.json"));
  const stamp = `${createHash("sha256").update(lock).digest("hex")} ${process.platform}-${process.arch}\n`;
  if (read(stampFile) === stamp) return;
  // Through a link, npm ci would empty the directory of whoever shares it.
  if (lstatSync(directory, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(directory);
  say("installing the locked packages (npm ci)");
  const started = Date.now();
  // npm waits 10 s and 60 s before it tries again: too long for a host without a network.
  const patience = ["--fetch-retry-mintimeout=2000", "--fetch-retry-maxtimeout=10000"];
  npm(["ci", "--ignore-scripts", "--prefer-offline", "--no-progress", "--loglevel=error", ...patience]);
  checkInstalledNode();
  writeFileSync(stampFile, stamp);
  say(`done in ${Math.round((Date.now() - started) / 1000)} s`);
}

function npm(args) {
  // Inside an npm script, the npm that runs it: PATH may have another one, or none.
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

/** Optional packages carry Node 24, and npm says nothing when it leaves one out. */
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
  return candidates.some(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
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
