import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Row } from "../../conformance/report.ts";
import { inSecondKernel, kernelProblem, ownCpus } from "../kernel/second-kernel.ts";
import { readCommitted } from "../reports/conformance/results.ts";
import { configFile, setups } from "../reports/conformance/setups.ts";
import { referencePlugins } from "../support/go.ts";
import { hostHas } from "../support/needs.ts";

const root = path.join(import.meta.dirname, "../..");
const program = path.join(root, "dist/conformance/bin/cni-conformance");
const work = fs.mkdtempSync(path.join(tmpdir(), "cni-wrappers-conformance-"));
const at = (name: string) => path.join(work, name);

beforeAll(async () => {
  await execa(process.execPath, ["build/conformance.ts"], { cwd: root });
  // It must need nothing of the repository.
  fs.copyFileSync(program, at("cni-conformance"));
}, 120_000);
afterAll(() => fs.rmSync(work, { recursive: true }));

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

const cpus = ownCpus();
const plugins = Object.keys(setups).map((plugin, index) => ({ plugin, cpu: cpus[index % cpus.length] }));

test.concurrent.for(plugins)(
  "$plugin gives the results of docs/conformance.md",
  { timeout: 900_000 },
  async ({ plugin, cpu }, { skip }) => {
    const { needs } = setups[plugin] ?? {};
    const isHere = needs === undefined || hostHas[needs];
    const problem = isHere ? undefined : kernelProblem();
    if (problem !== undefined) skip(`${needs}: ${problem}`);
    const file = path.join(await referencePlugins(), plugin);
    const rows = isHere ? await rowsOf(file, configFile(plugin)) : await rowsInSecondKernel(file, plugin, cpu);
    expect(failedOf(rows).toSorted()).toEqual(committed(plugin).toSorted());
    expect([...new Set(rows.map(({ name }) => name))]).toEqual(readCommitted().cases[plugin]);
  },
);

async function rowsInSecondKernel(file: string, plugin: string, cpu: number | undefined): Promise<readonly Row[]> {
  const command = [program, "--plugin", file, "--config", configFile(plugin), "--json"];
  const { stdout, stderr } = await inSecondKernel(command, (ended) => ended, cpu);
  expect(stderr).toBe("");
  return JSON.parse(stdout).cases;
}

test("a failed case shows the rule, what was sent, what came, a command that repeats it, and is a failure in the JUnit report", async () => {
  const bridge = path.join(await referencePlugins(), "bridge");
  const args = ["--plugin", bridge, "--config", configFile("bridge"), "--spec", "1.1.0", "--junit", at("junit.xml")];
  const { stdout, exitCode } = await conformance(...args, "--case", "the result has the interface's MTU");
  expect(exitCode).toBe(1);
  const junit = fs.readFileSync(at("junit.xml"), "utf8");
  expect(junit).toContain('tests="1" failures="1" skipped="0"');
  expect(junit).toMatch(
    /<testcase classname="1\.1\.0" name="the result has the interface's MTU"><failure message="mtu: /,
  );
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

test("a case that nothing can decide is not run, and is no success", async () => {
  const portmap = path.join(await referencePlugins(), "portmap");
  fs.writeFileSync(at("portmap.json"), JSON.stringify({ snat: true }));
  const name = "CHECK sees that what ADD made is missing";
  const [row] = await rowsOf(portmap, at("portmap.json"), "--spec", "1.1.0", "--case", name);
  expect(row).toMatchObject({ outcome: "not run", reason: expect.stringContaining('"break"') });
});

test("no route in the result is no verdict about routes", async () => {
  const bridge = path.join(await referencePlugins(), "bridge");
  fs.writeFileSync(
    at("no-routes.json"),
    JSON.stringify({ bridge: "br0", ipam: { type: "host-local", subnet: "10.1.0.0/24" } }),
  );
  for (const name of ["the routes of the result are in the namespace", "CHECK sees that a route is missing"]) {
    const [row] = await rowsOf(bridge, at("no-routes.json"), "--spec", "1.1.0", "--case", name);
    expect(row).toMatchObject({ outcome: "not run", reason: expect.stringContaining("no routes") });
  }
});

test("the example of docs/conformance.md fails only where that page says so", async () => {
  const page = fs.readFileSync(path.join(root, "docs/conformance.md"), "utf8");
  fs.writeFileSync(at("example.json"), /^cat bridge\.json\n(.*?)\n\n/ms.exec(page)?.[1] ?? "no example");
  const bridge = path.join(await referencePlugins(), "bridge");
  const rows = await rowsOf(bridge, at("example.json"), "--spec", "1.1.0");
  expect(rows.filter(({ outcome }) => outcome === "not run")).toEqual([]);
  expect(failedOf(rows).filter((each) => !committed("bridge").includes(each))).toEqual([]);
}, 300_000);

test.each([
  ["a link to another folder", "links/plugins/linked", "links/built/bridge", "../built/bridge"],
  ["a link to a folder that the lab hides", "links/plugins/far", "links/built/bridge", at("links/built/bridge")],
  ["a link to a name in its folder", "links/plugins/near", "links/plugins/bridge", "bridge"],
  ["a file in /run", "/run/cni-wrappers-conformance/bridge", "/run/cni-wrappers-conformance/bridge", undefined],
])("the plugin can be %s", async (_what, plugin, file, target) => {
  const reference = await referencePlugins();
  const link = path.resolve(work, plugin);
  const folder = path.dirname(link);
  try {
    for (const each of [path.resolve(work, file), link]) fs.mkdirSync(path.dirname(each), { recursive: true });
    fs.copyFileSync(path.join(reference, "bridge"), path.resolve(work, file));
    fs.copyFileSync(path.join(reference, "host-local"), path.join(folder, "host-local"));
    if (target !== undefined) fs.symlinkSync(target, link);
    const [row] = await rowsOf(link, configFile("bridge"), "--spec", "1.1.0", "--case", "DEL undoes ADD");
    expect(row).toMatchObject({ outcome: "passed" });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});

test("a plugin that lists only older versions ends the run", async () => {
  fs.writeFileSync(at("empty.json"), "{}");
  const old = scriptAt("old", `echo '{"cniVersion":"0.2.0","supportedVersions":["0.1.0","0.2.0"]}'`);
  const { exitCode, stdout, stderr } = await conformance("--plugin", old, "--config", at("empty.json"));
  expect([exitCode, stdout, stderr]).toEqual([
    2,
    "",
    'cni-conformance: the plugin lists ["0.1.0","0.2.0"] for VERSION, and none of 0.3.0, 0.3.1, 0.4.0, 1.0.0, 1.1.0',
  ]);
});

test("a run without a case leaves no empty report, and none of an earlier run", async () => {
  fs.writeFileSync(at("prepare-fails.json"), '{"conformance":{"prepare":"false"}}');
  const args = ["--plugin", scriptAt("any", "true"), "--config", at("prepare-fails.json"), "--junit", at("none.xml")];
  expect((await conformance(...args)).exitCode).toBe(2);
  expect(fs.existsSync(at("none.xml"))).toBe(false);
  fs.writeFileSync(at("none.xml"), "<testsuites/>");
  expect((await conformance(...args)).exitCode).toBe(2);
  expect(fs.readFileSync(at("none.xml"), "utf8")).toBe("");
});

/** Makes a plugin of a shell script. `$in` is its stdin. */
function scriptAt(name: string, script: string): string {
  fs.writeFileSync(at(name), `#!/bin/sh\nin=$(cat)\n${script}\n`);
  fs.chmodSync(at(name), 0o755);
  return at(name);
}

describe("a plugin that behaves badly", () => {
  const answer = `echo '{"cniVersion":"1.1.0"}'`;
  const name = "CHECK right after ADD succeeds and prints nothing";
  beforeAll(() => fs.writeFileSync(at("empty.json"), "{}"));
  const run = (script: string, ...more: string[]) => {
    const args = ["--plugin", scriptAt("bad", script), "--config", at("empty.json"), "--spec", "1.1.0"];
    return conformance(...args, "--seconds", "2", "--case", name, ...more);
  };

  test.each([
    ["hangs", "sleep 100", "did not end within 2 s"],
    ["leaves a daemon with its stdout", `sleep 100 & ${answer}`, "a process that it started keeps its stdout"],
    ["prints megabytes", "head -c 9000000 /dev/zero | tr '\\0' x", "printed more than 1 MiB to stdout"],
  ])("and %s ends the run in its first call", async (_what, script, words) => {
    const { exitCode, stdout, stderr } = await run(script);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^cni-conformance: no case was run\. ADD: it .*$/);
    expect(stderr).toContain(words);
  });

  test.each([
    ["hangs", "sleep 100", "CHECK: it did not end within 2 s"],
    ["leaves a daemon with its stdout", "sleep 100 &", "CHECK: it ended, but a process that it started keeps"],
    ["prints megabytes", "head -c 9000000 /dev/zero | tr '\\0' x", "CHECK: it printed more than 1 MiB"],
  ])("and %s in CHECK fails in that case", async (_what, script, words) => {
    const { exitCode, stdout } = await run(`if [ "$CNI_COMMAND" = CHECK ]; then ${script}\nelse ${answer}; fi`);
    expect([exitCode, stdout.length < 20_000]).toEqual([1, true]);
    expect(stdout).toContain(words);
  });

  test.each([
    ["garbage", "echo garbage", "ADD prints no JSON object: garbage"],
    ["nothing", "true", "ADD prints no JSON object: nothing"],
    ["a list", "echo '[]'", "ADD prints no JSON object: []"],
  ])("and succeeds with %s fails", async (_what, script, words) => {
    const { exitCode, stdout } = await run(script);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(words);
    expect(stdout).toContain("If the plugin makes an interface, give --role interface");
  });

  test("and cannot be started fails with the reason", async () => {
    fs.writeFileSync(at("unstartable"), "#!/no/such/interpreter\n");
    fs.chmodSync(at("unstartable"), 0o755);
    const args = ["--plugin", at("unstartable"), "--config", at("empty.json"), "--spec", "1.1.0"];
    const { stdout } = await conformance(...args);
    expect(stdout).toContain("ADD fails: exit code 127, spawn /run/lab/bin/unstartable ENOENT");
  });

  test("and changes files, links and rules does so in its own namespaces", async () => {
    const harm = ["/etc", "/tmp", "/usr", "/var/tmp", work].map((folder) => `echo x >${folder}/cni-conformance-harm`);
    const script = [...harm, "ip link add harm0 type veth", `rm -f ${at("bad")} ${at("cni-conformance")}`, answer];
    expect((await run(script.join("\n"))).stdout).toContain("1 failed, 0 not run");
    const folders = ["/etc", "/tmp", "/usr", "/var/tmp", work, path.dirname(at("bad"))];
    expect(folders.filter((folder) => fs.existsSync(path.join(folder, "cni-conformance-harm")))).toEqual([]);
    expect([fs.existsSync(at("bad")), fs.existsSync(at("cni-conformance"))]).toEqual([true, true]);
    expect((await execa("ip", ["-oneline", "link"])).stdout).not.toContain("harm0");
  });

  test("and prints what XML cannot have still gives a JUnit report that is XML", async () => {
    const nasty = `printf 'a\\001\\033[1m]]>&<"\\377 \\357\\277\\277'; exit 1`;
    const { stdout } = await run(nasty, "--junit", at("nasty.xml"));
    expect(stdout).toContain('a??[1m]]>&<"');
    const junit = fs.readFileSync(at("nasty.xml"), "utf8");
    expect(junit).toContain("a??[1m]]&gt;&amp;&lt;&quot;");
    expect(junit).toMatch(/^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u);
    const outsideTags = junit.replaceAll(/<[?/]?\w+(?: \w+="[^"<]*")*[?/]?>/g, "");
    expect(outsideTags).not.toMatch(/<|&(?!(?:amp|lt|gt|quot);)/);
  });

  test("and leaves rules of nftables fails in the case of DEL", async () => {
    const portmap = path.join(await referencePlugins(), "portmap");
    fs.copyFileSync(portmap, at("portmap"));
    const ports = [{ hostPort: "{n+20000}", containerPort: 80, protocol: "tcp" }];
    fs.writeFileSync(at("nft.json"), JSON.stringify({ backend: "nftables", runtimeConfig: { portMappings: ports } }));
    const lazy = scriptAt("lazy", '[ "$CNI_COMMAND" = DEL ] && exit\nprintf %s "$in" | "$CNI_PATH/portmap"');
    const undone = (plugin: string) => rowsOf(plugin, at("nft.json"), "--spec", "1.1.0", "--case", "DEL undoes ADD");
    expect(failedOf(await undone(at("portmap")))).toEqual([]);
    const [row] = await undone(lazy);
    expect(row?.reason).toContain("rules left: table ip cni_hostport: tcp dport 20001 dnat to");
  });
});

test("a command of the configuration that fails is no verdict about the plugin", async () => {
  const portmap = path.join(await referencePlugins(), "portmap");
  const own = JSON.parse(fs.readFileSync(configFile("portmap"), "utf8"));
  const run = (hint: string) => {
    fs.writeFileSync(
      at("hint-fails.json"),
      JSON.stringify({ ...own, conformance: { [hint]: "echo no such rule >&2; false" } }),
    );
    const name = "CHECK sees that what ADD made is missing";
    return conformance("--plugin", portmap, "--config", at("hint-fails.json"), "--spec", "1.1.0", "--case", name);
  };
  const broken = await run("break");
  expect(broken.exitCode).toBe(0);
  expect(broken.stdout).toContain(
    'not run: CHECK sees that what ADD made is missing (1.1.0): the command of "conformance.break" fails: no such rule',
  );
  expect(broken.stdout).toContain("0 passed, 0 failed, 1 not run");
  const prepared = await run("prepare");
  expect([prepared.exitCode, prepared.stderr]).toEqual([
    2,
    'cni-conformance: the command of "conformance.prepare" fails: no such rule',
  ]);
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
    ["no time", ["--plugin", "true", "--config", "good.json", "--seconds", "0"], "--seconds 0: it must be a number"],
    ["an option twice", ["--case", "a", "--case", "b"], "give --case only once"],
    ["a hint that each object has", ["--plugin", "true", "--config", "each.json"], 'has no key "toString"'],
    ["no such case", ["--plugin", "true", "--config", "good.json", "--case", "x"], "--case x: there is no such case"],
    [
      "a JUnit file in no folder",
      ["--plugin", "true", "--config", "good.json", "--junit", "no/x"],
      "--junit no/x: ENOENT",
    ],
    ["a folder as the JUnit file", ["--plugin", "true", "--config", "good.json", "--junit", "."], "--junit .: EISDIR"],
  ];
  beforeAll(() => {
    const files = {
      ...{ good: "{}", bad: "{", list: '{"plugins":[]}', hint: '{"conformance":{"brake":""}}' },
      each: '{"conformance":{"toString":""}}',
    };
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(at(`${name}.json`), text);
    fs.writeFileSync(at("ipam.json"), '{"ipam":{"type":"none"}}');
    fs.copyFileSync("/bin/true", at("true"));
  });

  test.each(bad)("%s", async (_what, args, words) => {
    const { exitCode, stdout, stderr } = await conformance(...args);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^cni-conformance: .*$/);
    expect(stderr).toContain(words);
  });

  test.each([
    [
      "a user who is not root",
      ["--reuid", "65534"],
      "this needs root, for private network namespaces. Run it with sudo",
    ],
    ["a root who may not make namespaces", ["--bounding-set", "-sys_admin"], "no private namespaces: unshare: "],
  ])("%s", async (_what, limits, words) => {
    fs.chmodSync(work, 0o755);
    const args = [...limits, at("cni-conformance"), "--plugin", at("true"), "--config", at("good.json")];
    const { exitCode, stderr } = await execa("setpriv", args, { reject: false });
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^cni-conformance: .*$/)]);
    expect(stderr).toContain(words);
  });
});

test("a run leaves nothing: no process, no mount, no link, no file besides its report", async () => {
  const state = async () => {
    const links = await execa("ip", ["-oneline", "link"]);
    return [links.stdout.split("\n").length, fs.readFileSync("/proc/self/mounts", "utf8"), fs.existsSync("/run/lab")];
  };
  const before = await state();
  const bridge = path.join(await referencePlugins(), "bridge");
  await rowsOf(bridge, configFile("bridge"), "--spec", "1.1.0", "--case", "DEL undoes ADD");
  expect(await state()).toEqual(before);
});
