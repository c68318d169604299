import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Row } from "../../conformance/report.ts";
import { runCases } from "../../conformance/run.ts";
import { describedBy } from "../../conformance/target.ts";
import { readCommitted } from "../reports/conformance/results.ts";
import { configFile, setups } from "../reports/conformance/setups.ts";
import { flannel, referencePlugins } from "../support/go.ts";
import { Lab } from "../support/lab.ts";
import { hostHas } from "../support/needs.ts";
import { scriptOf } from "./conformance-mutants.ts";

const root = path.join(import.meta.dirname, "../..");
const program = path.join(root, "dist/conformance/bin/cni-conformance");
const work = mkdtempSync(path.join(tmpdir(), "cni-wrappers-conformance-"));
const at = (name: string) => path.join(work, name);

beforeAll(async () => {
  await execa(process.execPath, ["build/conformance.ts"], { cwd: root });
  // It must need nothing of the repository.
  copyFileSync(program, at("cni-conformance"));
}, 120_000);
afterAll(() => rmSync(work, { recursive: true }));

function conformance(...args: string[]) {
  const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };
  return execa(at("cni-conformance"), args, { cwd: work, env, extendEnv: false, reject: false });
}

async function rowsOf(plugin: string, config: string, ...more: string[]): Promise<readonly Row[]> {
  const { stdout, stderr, exitCode } = await conformance("--plugin", plugin, "--config", config, "--json", ...more);
  if (exitCode === 2) throw new Error(stderr);
  const { cases }: { readonly cases: readonly Row[] } = JSON.parse(stdout);
  return cases;
}

const failedOf = (rows: readonly Row[]) =>
  rows.filter(({ outcome }) => outcome === "failed").map(({ name, version }) => `${name} (${version})`);

/** The failures that docs/conformance.md names. */
function committed(plugin: string): string[] {
  const failing = Object.entries(readCommitted().plain);
  return failing.flatMap(([name, plugins]) => (plugins[plugin] ?? []).map((version) => `${name} (${version})`));
}

const here = Object.keys(setups).filter((plugin) => {
  const needs = setups[plugin]?.needs;
  return needs === undefined || hostHas[needs];
});

test.concurrent.each(here)(
  "%s gives the results of docs/conformance.md",
  async (plugin) => {
    const directory = await referencePlugins("1.9.1");
    const rows = await rowsOf(path.join(directory, plugin), configFile(plugin));
    expect(failedOf(rows).toSorted()).toEqual(committed(plugin).toSorted());
    expect([...new Set(rows.map(({ name }) => name))]).toEqual(readCommitted().cases[plugin]);
  },
  900_000,
);

const others = {
  flannel: { name: "conformance", type: "flannel", delegate: { isDefaultGateway: true } },
  loopback: {},
  "bridge-wrapper": JSON.parse(readFileSync(configFile("bridge"), "utf8")),
} as const;

test.concurrent.each(Object.entries(others))(
  "%s, which has no results there, gives those of the suite in the repository",
  async (plugin, config) => {
    const directory = at(`other-${plugin}`);
    await installOther(plugin, directory);
    writeFileSync(at(`${plugin}.json`), JSON.stringify(config));
    const rows = await rowsOf(path.join(directory, plugin), at(`${plugin}.json`), "--spec", "0.4.0,1.0.0");
    await using lab = await Lab.start({ plugins: { directory }, wrappers: work });
    const target = { ...describedBy(config), type: plugin, file: `${Lab.pluginPath}/${plugin}` };
    const ended = await runCases(lab, target, ["0.4.0", "1.0.0"]);
    const failed = ended.filter(({ problem }) => problem !== "").map(({ name, version }) => `${name} (${version})`);
    expect(failedOf(rows)).toEqual(failed);
    expect(rows.length).toBeGreaterThan(40);
  },
  900_000,
);

async function installOther(plugin: string, directory: string): Promise<void> {
  const reference = await referencePlugins("1.9.1");
  mkdirSync(directory);
  const sources: Record<string, string> = {
    flannel: await flannel(),
    "bridge-wrapper": path.join(root, "dist/bin/cni-wrappers"),
  };
  copyFileSync(sources[plugin] ?? path.join(reference, plugin), path.join(directory, plugin));
  for (const name of ["bridge", "host-local"]) copyFileSync(path.join(reference, name), path.join(directory, name));
}

const none = '[ "$CNI_NETNS" = /run/netns/none ]';
const withoutPrevResult = "case $in in *prevResult*) false ;; esac";
const succeeds = 'out=$(real) || { echo "$out"; exit 1; }';
const hasAddress = 'ip -n "$netns" -4 address show "$CNI_IFNAME" 2>/dev/null | grep -q inet';
const isDown = `ip -n "$netns" link show "$CNI_IFNAME" | grep -q 'state DOWN'`;

/** A plugin, a fault of it, the case that must see it, and the versions of the specification in which it is tried. */
const broken: [plugin: string, fault: string, name: string, spec?: string][] = [
  [
    "bridge",
    `is ADD && ${none} && { echo '{"code":42,"msg":"x"}'; exit 1; }`,
    "an error code below 100 is a well-known one",
  ],
  ["bridge", '[ "$CNI_IFNAME" = eth:0 ] && export CNI_IFNAME=ethx', 'the CNI_IFNAME "eth:0" gives code 4'],
  ["bridge", `is ADD && ${none} && exit 0`, "ADD to a namespace that does not exist fails"],
  ["bridge", `is DEL && ${hasAddress} && ${withoutPrevResult} && exit 1`, "DEL without prevResult succeeds"],
  ["bridge", `is CHECK && hasLink && ${withoutPrevResult} && exit 0`, "CHECK without prevResult fails"],
  ["bridge", `is CHECK && hasLink && ${isDown} && exit 0`, "CHECK sees that the interface is down"],
  ["bridge", "is CHECK && case $in in *0e:00:*) exit 1 ;; esac", "CHECK accepts a MAC that a later plugin changed"],
  ["bridge", 'is VERSION && [ -z "$in" ] && exit 1', "VERSION needs no configuration", "0.4.0"],
  ["bridge", "is GC && case $in in *containerID*) rm -r /var/lib/cni/networks ;; esac", "GC leaves valid attachments"],
  ["bridge", "real 2>/dev/null; exit", "the stderr of IPAM goes to the stderr of the plugin"],
  ["bridge", "unset OTHER", "IPAM gets every variable of the plugin"],
  [
    "portmap",
    `is ADD && { ${succeeds}; echo "$out" | jq 'del(.interfaces[].socketPath)'; exit; }`,
    "ADD keeps the keys of version 1.1.0 in prevResult",
  ],
];

test.concurrent.each(broken)(
  "%s with the fault %s fails in the case %s, and in no other",
  async (plugin, fault, name, spec = "1.1.0") => {
    const directory = at(`broken-${broken.findIndex(([, each]) => each === fault)}`);
    mkdirSync(directory);
    const reference = await referencePlugins("1.9.1");
    for (const each of ["bridge", "portmap", "host-local"]) {
      copyFileSync(path.join(reference, each), path.join(directory, each));
    }
    for (const [type, text] of Object.entries({ good: "", bad: fault })) {
      writeFileSync(path.join(directory, type), scriptOf(plugin, text));
      chmodSync(path.join(directory, type), 0o755);
    }
    const run = (type: string) => rowsOf(path.join(directory, type), configFile(plugin), "--spec", spec);
    const [good, bad] = [failedOf(await run("good")), failedOf(await run("bad"))];
    expect(bad.filter((each) => !good.includes(each))).toEqual([`${name} (${spec})`]);
    expect(good.filter((each) => !bad.includes(each))).toEqual([]);
  },
  900_000,
);

describe("a failed case", () => {
  test("shows the rule, what was sent, what came, and a command that repeats it", async () => {
    const bridge = path.join(await referencePlugins("1.9.1"), "bridge");
    const args = ["--plugin", bridge, "--config", configFile("bridge"), "--spec", "1.1.0"];
    const name = "the result has the interface's MTU";
    const { stdout, exitCode } = await conformance(...args, "--case", name);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("SPEC.md  MUST, section 5, ADD Success: The MTU of the interface (if applicable).");
    expect(stdout).toMatch(/^ {2}sent {5}CNI_COMMAND=ADD CNI_CONTAINERID=\S+ CNI_NETNS=\S+ CNI_IFNAME=eth0/m);
    expect(stdout).toMatch(/^ {2}stdout {3}\{"cniVersion":"1.1.0","interfaces":/m);
    const again = /^ {2}again {4}cni-conformance (.*)$/m.exec(stdout)?.[1];
    const repeated = await execa("sh", ["-c", `${at("cni-conformance")} ${again}`], { cwd: work, reject: false });
    expect([repeated.exitCode, repeated.stdout.replaceAll(/\w{2}(:\w{2}){5}|veth\w+/g, "")]).toEqual([
      1,
      stdout.replaceAll(/\w{2}(:\w{2}){5}|veth\w+/g, ""),
    ]);
  });

  test("is a failure in the JUnit report", async () => {
    const bridge = path.join(await referencePlugins("1.9.1"), "bridge");
    const args = ["--plugin", bridge, "--config", configFile("bridge"), "--spec", "1.1.0", "--junit", at("junit.xml")];
    await conformance(...args, "--case", "the result has the interface's MTU");
    const junit = readFileSync(at("junit.xml"), "utf8");
    expect(junit).toContain('tests="1" failures="1" skipped="0"');
    expect(junit).toMatch(
      /<testcase classname="1\.1\.0" name="the result has the interface's MTU"><failure message="mtu: /,
    );
  });
});

test("a case that nothing can decide is not run, and is no success", async () => {
  const portmap = path.join(await referencePlugins("1.9.1"), "portmap");
  writeFileSync(at("portmap.json"), JSON.stringify({ snat: true }));
  const name = "CHECK sees that what ADD made is missing";
  const [row] = await rowsOf(portmap, at("portmap.json"), "--spec", "1.1.0", "--case", name);
  expect(row).toMatchObject({ outcome: "not run", reason: expect.stringContaining('"break"') });
});

describe("bad input ends with code 2 and one line", () => {
  const bad: [what: string, args: readonly string[], words: string][] = [
    ["no option", [], "give --plugin FILE and --config FILE"],
    ["an unknown option", ["--nonsense"], "Unknown option '--nonsense'"],
    ["no such plugin", ["--plugin", "none", "--config", "good.json"], "--plugin none: there is no such file"],
    ["a directory as the plugin", ["--plugin", ".", "--config", "good.json"], "--plugin .: it is not a file"],
    ["a plugin without the x bit", ["--plugin", "good.json", "--config", "good.json"], "it is not executable"],
    ["no such configuration", ["--plugin", "true", "--config", "none"], "--config none: ENOENT"],
    ["a directory as the configuration", ["--plugin", "true", "--config", "."], "--config .: EISDIR"],
    ["a configuration that is no JSON", ["--plugin", "true", "--config", "bad.json"], "--config bad.json: "],
    ["a list", ["--plugin", "true", "--config", "list.json"], "it is a network configuration list"],
    ["an unknown hint", ["--plugin", "true", "--config", "hint.json"], 'has no key "brake"'],
    ["no IPAM plugin", ["--plugin", "true", "--config", "ipam.json"], "the IPAM plugin none is not in"],
    ["no such role", ["--plugin", "true", "--config", "good.json", "--role", "x"], "--role x: it must be one of"],
    ["no such version", ["--plugin", "true", "--config", "good.json", "--spec", "2"], "--spec 2: it must be one of"],
    ["no such case", ["--plugin", "true", "--config", "good.json", "--case", "x"], "--case x: there is no such case"],
    [
      "a JUnit file in no folder",
      ["--plugin", "true", "--config", "good.json", "--junit", "no/x"],
      "--junit no/x: ENOENT",
    ],
    ["a folder as the JUnit file", ["--plugin", "true", "--config", "good.json", "--junit", "."], "--junit .: EISDIR"],
  ];
  beforeAll(() => {
    const files = { good: "{}", bad: "{", list: '{"plugins":[]}', hint: '{"conformance":{"brake":""}}' };
    for (const [name, text] of Object.entries(files)) writeFileSync(at(`${name}.json`), text);
    writeFileSync(at("ipam.json"), '{"ipam":{"type":"none"}}');
    copyFileSync("/bin/true", at("true"));
  });

  test.each(bad)("%s", async (_what, args, words) => {
    const { exitCode, stdout, stderr } = await conformance(...args);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^cni-conformance: .*$/);
    expect(stderr).toContain(words);
  });

  test("a user who is not root", async () => {
    const args = ["--reuid", "65534", at("cni-conformance"), "--plugin", at("true"), "--config", at("good.json")];
    chmodSync(work, 0o755);
    const { exitCode, stderr } = await execa("setpriv", args, { reject: false });
    expect([exitCode, stderr]).toEqual([
      2,
      "cni-conformance: this needs root, for private network namespaces. Run it with sudo",
    ]);
  });

  test("a root who may not make namespaces", async () => {
    const args = [
      "--bounding-set",
      "-sys_admin",
      at("cni-conformance"),
      "--plugin",
      at("true"),
      "--config",
      at("good.json"),
    ];
    const { exitCode, stderr } = await execa("setpriv", args, { reject: false });
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/^cni-conformance: no private namespaces: unshare: .*$/),
    ]);
  });
});

test("a run leaves nothing: no process, no mount, no link, no file besides its report", async () => {
  const state = async () => {
    const links = await execa("ip", ["-oneline", "link"]);
    return [links.stdout.split("\n").length, readFileSync("/proc/self/mounts", "utf8"), existsSync("/run/lab")];
  };
  const before = await state();
  const bridge = path.join(await referencePlugins("1.9.1"), "bridge");
  await rowsOf(bridge, configFile("bridge"), "--spec", "1.1.0", "--case", "DEL undoes ADD");
  expect(await state()).toEqual(before);
});
