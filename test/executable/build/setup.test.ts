import { appendFileSync, copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { calls, root, scratch, writeScript } from "../../support/tree.ts";

const npmInstalls = `echo ci >> calls; mkdir -p node_modules/.bin; ln -sf ${process.execPath} node_modules/.bin/node`;
const networkTools = ["unshare", "nsenter", "mount", "ip", "iptables", "nft"];
const testTools = [
  ...["readelf", "busybox", "minisign", "strace", "rpm", "jq", "radvd"],
  ...["zsh", "fish", "groff", "systemd-analyze", "openssl"],
];
const goodHost = {
  npm: npmInstalls,
  go: "echo go version go1.24.0 linux/amd64",
  ...Object.fromEntries(networkTools.map((tool) => [tool, ":"])),
  // apt-get runs where it does not see services: unshare --mount sh -c SCRIPT sh apt-get ...
  unshare:
    '[ "$1" != --mount ] || { [ "$2$3" = sh-c ] || exit; shift 5; tool=$1; shift; exec "$(dirname "$0")/$tool" "$@"; }',
};

const testHost = { ...goodHost, ...Object.fromEntries(testTools.map((tool) => [tool, ":"])) };

/** A clone with the files that setup reads, on a host that has only these commands (name, shell script). */
function makeClone(commands: Record<string, string>): string {
  const clone = scratch();
  mkdirSync(join(clone, "build"));
  for (const file of ["build/setup.mjs", "build/environment.mjs"]) copyFileSync(join(root, file), join(clone, file));
  writeFileSync(join(clone, "package-lock.json"), "{}");
  for (const [name, script] of Object.entries(commands)) writeScript(join(clone, "host", name), script);
  return clone;
}

function setup(clone: string, ...args: string[]) {
  const env = { PATH: join(clone, "host") };
  return execa(process.execPath, ["build/setup.mjs", ...args], { cwd: clone, env, extendEnv: false, reject: false });
}

test("packages are installed once, and again when the lock file has changed", async () => {
  const clone = makeClone({ npm: npmInstalls });
  expect(await setup(clone)).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await setup(clone)).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  expect(calls(clone)).toEqual(["ci"]);
  appendFileSync(join(clone, "package-lock.json"), "\n");
  await setup(clone);
  expect(calls(clone)).toEqual(["ci", "ci"]);
});

test.each([
  ["failed", "exit 1"],
  ["left no Node that runs", "mkdir -p node_modules/.bin"],
])("an installation that %s is tried again", async (_, end) => {
  const clone = makeClone({ npm: `echo ci >> calls; ${end}` });
  await setup(clone);
  await setup(clone);
  expect(calls(clone)).toEqual(["ci", "ci"]);
});

test("a node_modules that is a link is unlinked, not emptied for whoever shares it", async () => {
  const clone = makeClone({ npm: `rm -rf node_modules/*; ${npmInstalls}` });
  mkdirSync(join(clone, "shared"));
  writeFileSync(join(clone, "shared/package"), "");
  symlinkSync("shared", join(clone, "node_modules"));
  expect(await setup(clone)).toMatchObject({ exitCode: 0 });
  expect(existsSync(join(clone, "shared/package"))).toBe(true);
});

test.each([
  ["npm is missing: it comes with Node, but Debian has it in a separate package", {}],
  [
    "npm cannot reach its registry (EAI_AGAIN): is there a network?",
    { npm: "echo npm error code EAI_AGAIN >&2; exit 1" },
  ],
  [
    "npm ci failed: code EUSAGE; package.json and package-lock.json are not in sync",
    {
      npm: "printf 'npm error code EUSAGE\\nnpm error\\nnpm error package.json and package-lock.json are not in sync\\n' >&2; exit 1",
    },
  ],
  [
    "the locked Node does not run here: it needs Linux with glibc and libstdc++, on x64 or arm64",
    { npm: "mkdir -p node_modules/.bin" },
  ],
])("%s", async (line, commands) => {
  expect(await setup(makeClone(commands))).toMatchObject({ exitCode: 1, stderr: `setup: ${line}` });
});

test("with all that private networks need, --network has nothing to say or to install", async () => {
  const clone = makeClone({ ...goodHost, "apt-get": "echo apt-get $* >> calls" });
  expect(await setup(clone, "--network")).toMatchObject({ exitCode: 0, stderr: "" });
  expect(calls(clone)).toEqual(["ci"]);
});

test("what is missing is installed by apt, its lists brought up to date once", async () => {
  const { ip, iptables, nft, ...host } = goodHost as Record<string, string>;
  const apt = 'echo apt-get $* >> calls; for tool in ip iptables nft; do cp host/mount "host/$tool"; done';
  const clone = makeClone({ ...host, "apt-get": apt });
  expect(await setup(clone, "--network")).toMatchObject({ exitCode: 0, stderr: "" });
  expect(calls(clone)).toEqual([
    expect.stringMatching(/^apt-get .*update$/),
    expect.stringMatching(/^apt-get .*install .*iproute2 iptables nftables$/),
    "ci",
  ]);
});

test.each([
  ["there is no apt-get", {}, ""],
  [
    "apt-get cannot install it",
    { "apt-get": "echo E: No network >&2; exit 100" },
    "setup: missing: cc, and apt-get cannot install them: E: No network",
  ],
])("a C compiler for cargo is not a must: the slim flavor is skipped where %s", async (_, more, line) => {
  const { exitCode, stdout, stderr } = await setup(
    makeClone({ ...testHost, cargo: ":", ...more }),
    "--network",
    "--tests",
  );
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(stdout).toContain(line);
});

test("--kernel needs User Mode Linux; --try-kernel installs it where it can", async () => {
  const apt = "echo apt-get $* >> calls; case $* in *install*) echo E: No network >&2; exit 100;; esac";
  const clone = makeClone({ ...goodHost, taskset: ":", "apt-get": apt });
  const failed = "missing: linux.uml, modprobe, cc, and apt-get cannot install them: E: No network";
  expect(await setup(clone, "--network", "--kernel")).toMatchObject({ exitCode: 1, stderr: `setup: ${failed}` });
  const { exitCode, stdout, stderr } = await setup(clone, "--network", "--try-kernel");
  expect([exitCode, stderr]).toEqual([0, ""]);
  if (process.arch === "x64") expect(stdout).toContain(`setup: ${failed}`);
});

test.each([
  ["missing: Go 1.24 or newer in PATH, unshare, nsenter, mount, ip, iptables, nft", { npm: npmInstalls }],
  [
    "missing: Go 1.24 or newer in PATH (this is go1.23)",
    { ...goodHost, go: "echo go version go1.23.9 linux/amd64", "apt-get": "echo apt-get >> calls" },
  ],
  [
    "missing: ip, and apt-get cannot install them: E: Unable to locate package iproute2",
    { ...goodHost, ip: "", "apt-get": "echo E: Unable to locate package iproute2 >&2; exit 100" },
  ],
  [
    "this host does not let root make private namespaces: unshare: Operation not permitted",
    { ...goodHost, unshare: "echo unshare: Operation not permitted >&2; exit 1" },
  ],
])("--network: %s", async (line, commands) => {
  const present = Object.fromEntries(Object.entries(commands).filter(([, script]) => script !== ""));
  const clone = makeClone(present);
  const { exitCode, stderr } = await setup(clone, "--network");
  expect([exitCode, stderr]).toEqual([1, `setup: ${line}`]);
  expect(calls(clone)).toEqual([]);
});
