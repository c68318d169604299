import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { applyPatch } from "diff";
import { beforeEach, describe, expect, test } from "vitest";
import { scratch } from "../../../support/scratch.ts";
import { writeResult } from "../../support/cached-results.ts";
import { runCommand, trouble } from "../../support/fake-terminal.ts";
import { intercept } from "../../support/file-functions.ts";
import { writeFile } from "../../support/written.ts";

const plain = `{
  "cniVersion": "1.0.0",
  "name": "zone",
  "plugins": [
    {
      "type": "macvlan",
      "master": "ens18",
      "ipam": { "type": "host-local", "ranges": [[{ "subnet": "172.16.5.0/24" }]] }
    },
    {
      "type": "bridge",
      "bridge": "disc0",
      "isGateway": true,
      "ipam": { "type": "host-local", "ranges": [[{ "subnet": "172.26.64.0/20" }]] }
    }
  ]
}
`;
const wrapped = plain
  .replace('"macvlan"', '"macvlan-wrapper"')
  .replace('"bridge",', '"bridge-wrapper",\n      "wrapper": { "ifName": "eth1" },');

const directory = scratch();

beforeEach(() => {
  write("zone.conflist", plain);
  mkdirSync(path.join(directory, "state/results"), { recursive: true });
});

const read = (name: string) => readFileSync(path.join(directory, name), "utf8");

const write = (name: string, text: string) => writeFile(path.join(directory, name), text);

const run = (command: string, args: readonly string[]) =>
  runCommand([command, "--state", path.join(directory, "state"), ...args], { directory });
const wrap = (...args: string[]) => run("wrap", args);
const unwrap = (...args: string[]) => run("unwrap", args);

describe("wrap", () => {
  test("shows a diff that patch can apply, and says what it means", async () => {
    const { exitCode, stdout, stderr } = await wrap("zone.conflist");
    expect(exitCode).toBe(0);
    expect(stdout.split("\n").slice(0, 3)).toEqual(["--- zone.conflist", "+++ zone.conflist", "@@ -3,12 +3,13 @@"]);
    expect(stdout.split("\n").filter((line) => /^[-+] /.test(line))).toEqual([
      '-      "type": "macvlan",',
      '+      "type": "macvlan-wrapper",',
      '-      "type": "bridge",',
      '+      "type": "bridge-wrapper",',
      '+      "wrapper": { "ifName": "eth1" },',
    ]);
    expect(applyPatch(plain, stdout)).toBe(wrapped);
    expect(stderr).toBe(
      "macvlan-wrapper makes eth0.\nbridge-wrapper makes eth1.\nNothing was written. Add --write to change the file.\n",
    );
    expect(read("zone.conflist")).toBe(plain);
  });

  test("colors the diff on a terminal with colors", async () => {
    write("zone.conflist", plain.replace('"master"', '"owner": "+@@--- ",\n      "master"'));
    const { exitCode, stdout } = await runCommand(["wrap", "zone.conflist"], { directory, hasColors: true });
    expect(stdout).toContain('\u001B[31m-      "type": "macvlan",\u001B[39m');
    expect(stdout).toContain('\u001B[32m+      "type": "macvlan-wrapper",\u001B[39m');
    expect(stdout).toContain("\u001B[1m--- zone.conflist\u001B[22m");
    expect(stdout).toContain("\u001B[36m@@ -3,13 +3,14 @@\u001B[39m");
    expect(stdout).toContain('\n       "owner": "+@@--- ",\n');
    // lint warns of the key, and that is no error.
    expect(exitCode).toBe(0);
  });

  test("--write changes the file and keeps the old text, each time", async () => {
    const first = await wrap("--write", "zone.conflist");
    expect(first.stderr).toMatch(/Wrote zone.conflist. The old text is in zone.conflist.bak.\n$/);
    expect(read("zone.conflist")).toBe(wrapped);
    expect(read("zone.conflist.bak")).toBe(plain);
    expect(await wrap("--write", "zone.conflist")).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: "zone.conflist needs no wrapper.\nEvery interface plugin has its wrapper.\n",
    });
    expect((await unwrap("--write", "zone.conflist")).stderr).toContain("zone.conflist.bak.1.\n");
    expect(read("zone.conflist")).toBe(plain);
    const names = ["state", "zone.conflist", "zone.conflist.bak", "zone.conflist.bak.1"];
    expect(readdirSync(directory).sort()).toEqual(names);
  });

  test("--write that fails leaves no copy of a text that is still in place", async () => {
    intercept("openSync", (open) => (file: string, ...rest: [string]) => {
      if (file.endsWith(".tmp")) throw Object.assign(new Error("full"), { code: "ENOSPC" });
      return open(file, ...rest);
    });
    expect(await wrap("--write", "zone.conflist")).toMatchObject({ exitCode: 2, stdout: "" });
    expect(readdirSync(directory).sort()).toEqual(["state", "zone.conflist"]);
  });

  test("--json prints the decisions and nothing else", async () => {
    const { stdout, stderr } = await wrap("--json", "--write", "--names", "lan0", "zone.conflist");
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      file: "zone.conflist",
      changed: true,
      backup: "zone.conflist.bak",
      plugins: [
        { index: 0, type: "macvlan", becomes: "macvlan-wrapper", wrapper: {}, does: "makes eth0" },
        { index: 1, type: "bridge", becomes: "bridge-wrapper", wrapper: { ifName: "lan0" }, does: "makes lan0" },
      ],
      notes: [],
    });
    expect(JSON.parse((await wrap("--json", "zone.conflist")).stdout)).toMatchObject({ changed: false, plugins: [] });
  });

  test("finds the script's containers in the state directories", async () => {
    const interfaces = ["eth0", "net1"].map((name) => ({ name, sandbox: "/run/netns/c1" }));
    writeResult(path.join(directory, "state"), { result: { interfaces } });
    write("state/networks/zone/172.26.64.2", "c1\r\nnet1");
    expect((await wrap("zone.conflist")).stdout).toContain(
      '+      "wrapper": { "ifName": "net1", "network": "zone" },',
    );
    rmSync(path.join(directory, "state/networks"), { recursive: true });
    expect((await wrap("--from-script", "zone.conflist")).stdout).toContain('"ifName": "net1", "network": "zone" },');
    expect((await wrap("zone.conflist")).stdout).toContain('+      "wrapper": { "ifName": "net1" },');
    const leases = path.join(directory, "leases");
    write("leases/zone/172.26.64.2", "c1\r\nnet1");
    const range = '"ranges": [[{ "subnet": "172.26';
    write("zone.conflist", plain.replace(range, `"dataDir": "${leases}", ${range}`));
    expect((await wrap("zone.conflist")).stdout).toContain(
      '+      "wrapper": { "ifName": "net1", "network": "zone" },',
    );
  });

  test("--write refuses where the host's processes are not seen: every container would look gone", async () => {
    write("zone.conflist", wrapped);
    const inContainer = (...args: string[]) =>
      runCommand(["unwrap", "--state", path.join(directory, "state"), "zone.conflist", ...args], {
        ...{ directory, viewProblem: (state: string) => `${state} is another host's` },
      });
    expect(await inContainer("--write")).toEqual(trouble(`${directory}/state is another host's`));
    expect(read("zone.conflist")).toBe(wrapped);
    expect(await inContainer()).toMatchObject({ exitCode: 0 });
    expect(await inContainer("--write", "--force")).toMatchObject({ exitCode: 0 });
    expect(read("zone.conflist")).toBe(plain);
    // No container needs the wrappers of a list without one.
    expect(await inContainer("--write")).toMatchObject({ exitCode: 0 });
  });

  test("--write refuses while a result cannot be read, whose container may have other names, unless --names tells them", async () => {
    write("state/results/zone-c1-eth0", "");
    const { exitCode, stderr } = await wrap("--write", "zone.conflist");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("results/zone-c1-eth0: it is not a JSON object");
    expect(stderr).toMatch(
      /Its container may have other interface names\. Set them with --names\.\nNothing was written\.\n$/,
    );
    expect(read("zone.conflist")).toBe(plain);
    expect(await wrap("zone.conflist")).toMatchObject({ exitCode: 2 });
    expect(JSON.parse((await wrap("--json", "--write", "zone.conflist")).stdout)).toMatchObject({
      refusal: "Its container may have other interface names. Set them with --names.\n",
    });
    expect(await wrap("--write", "--names", "eth1", "zone.conflist")).toMatchObject({ exitCode: 2 });
    expect(read("zone.conflist")).toBe(wrapped);
  });

  test("a list without names to choose is written although a result cannot be read", async () => {
    write("state/results/zone-c1-eth0", "");
    const list = (type: string) =>
      `{"cniVersion":"1.0.0","name":"zone","plugins":[{"type":"${type}","ipam":{"type":"host-local","subnet":"10.1.0.0/24"}}]}`;
    write("one.conflist", list("bridge"));
    expect(await wrap("--write", "one.conflist")).toMatchObject({ exitCode: 2 });
    expect(read("one.conflist")).toBe(list("bridge-wrapper"));
  });

  test("shows the errors that remain, and the exit code is 1", async () => {
    const named = '"macvlan-wrapper",\n      "wrapper": { "ifName": "eth1" }';
    write("two.conflist", wrapped.replace('"macvlan-wrapper"', named));
    const { exitCode, stderr } = await wrap("two.conflist");
    expect(exitCode).toBe(1);
    expect(stderr).toContain("The list still has errors:\ntwo.conflist:13:30: error: ");
  });

  test.each([
    ["missing.conflist", "missing.conflist: there is no such file"],
    ["broken.conflist", "broken.conflist:1:13: a comma is missing before this"],
    ["number.conflist", "number.conflist:1:1: the file has no JSON object"],
  ])("%s is trouble", async (name, message) => {
    write("broken.conflist", '{ "name": 1 "plugins": [] }');
    write("number.conflist", "7");
    expect(await wrap("--write", name)).toEqual(trouble(message));
  });

  test.each([
    ["net1,net2", "--names: only 1 plugin needs a name"],
    ["eth0", "the interface name eth0 is taken"],
  ])("--names %s is trouble", async (names, message) => {
    expect(await wrap("--names", names, "zone.conflist")).toEqual(trouble(message));
  });
});

describe("unwrap", () => {
  test("shows a diff and says what is lost", async () => {
    write("zone.conflist", wrapped);
    const { exitCode, stdout, stderr } = await unwrap("zone.conflist");
    expect(exitCode).toBe(0);
    expect(applyPatch(wrapped, stdout)).toBe(plain);
    expect(stderr.split("\n")).toEqual([
      "bridge makes eth0 instead of eth1.",
      "bridge does not find its leases in the network zone-eth1.",
      expect.stringMatching(/^The plain list has several interface plugins\./),
      expect.stringMatching(/^Drain the node first: /),
      "Nothing was written. Add --write to change the file.",
      "",
    ]);
    expect(JSON.parse((await unwrap("--json", "zone.conflist")).stdout)).toMatchObject({ changed: true });
  });

  /** A result of libcni's for a container that a list attached. */
  function attach(containerId: string, netns: string, networkName = "zone", list = wrapped): void {
    const config = Buffer.from(list).toString("base64");
    writeResult(path.join(directory, "state"), { containerId, networkName, netns, config });
  }

  test("a plain list has nothing to unwrap, whoever uses it", async () => {
    attach("c1", "/proc/self/ns/net");
    const stderr = "zone.conflist has no wrapper.\n";
    expect(await unwrap("--write", "zone.conflist")).toEqual({ exitCode: 0, stdout: "", stderr });
  });

  test("--write refuses a list in use, says why and what to do, and --force writes", async () => {
    write("zone.conflist", wrapped);
    attach("c1", "/proc/self/ns/net");
    attach("c2", "/proc/self/ns/net", "other");
    expect(await unwrap("zone.conflist")).toMatchObject({ exitCode: 0 });
    const refused = await unwrap("--write", "zone.conflist");
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toMatch(
      /1 running container needs the wrappers:\n {2}zone c1\n.*With the plain list every CHECK .*Stop them first\. --force writes the plain list\nall the same\.\nNothing was written\.\n$/s,
    );
    expect(read("zone.conflist")).toBe(wrapped);
    const asData = await unwrap("--write", "--json", "zone.conflist");
    expect(asData.exitCode).toBe(1);
    const losses = ["makes eth0 instead of eth1", "does not find its leases in the network zone-eth1"];
    expect(JSON.parse(asData.stdout)).toEqual({
      ...{ file: "zone.conflist", changed: true, uses: [{ network: "zone", containerId: "c1", name: "c1" }] },
      plugins: [
        { index: 0, type: "macvlan-wrapper", becomes: "macvlan", wrapper: {}, losses: [] },
        { index: 1, type: "bridge-wrapper", becomes: "bridge", wrapper: { ifName: "eth1" }, losses },
      ],
      notes: [expect.stringContaining("several interface plugins"), expect.stringMatching(/^Drain the node first: /)],
      refusal: expect.stringMatching(/^1 running container needs the wrappers:\n.*Stop them first/s),
    });
    expect(await unwrap("--write", "--force", "zone.conflist")).toMatchObject({ exitCode: 0 });
    expect(read("zone.conflist")).toBe(plain);
  });

  test("--write refuses a list of two interface plugins, whoever attached its containers: no plain one passes CHECK", async () => {
    write("zone.conflist", wrapped);
    attach("c1", "/proc/self/ns/net", "zone", plain);
    expect(await unwrap("--write", "zone.conflist")).toMatchObject({ exitCode: 1 });
    const listOf = (...types: string[]) =>
      JSON.stringify({ cniVersion: "1.0.0", name: "zone", plugins: types.map((type) => ({ type })) });
    // A plugin that is not known may be one, too.
    write("zone.conflist", listOf("bridge-wrapper", "twin-wrapper"));
    expect(await unwrap("--write", "zone.conflist")).toMatchObject({ exitCode: 1 });
    write("zone.conflist", listOf("bridge-wrapper", "portmap-wrapper"));
    expect(await unwrap("--write", "zone.conflist")).toMatchObject({ exitCode: 0 });
    attach("c1", "/proc/self/ns/net", "zone", listOf("bridge-wrapper"));
    write("zone.conflist", listOf("bridge-wrapper"));
    expect(await unwrap("--write", "zone.conflist")).toMatchObject({ exitCode: 1 });
  });

  test("--write refuses while a result cannot be read, which may be of a running container", async () => {
    write("zone.conflist", wrapped);
    write("state/results/zone-c1-eth0", "");
    const { exitCode, stderr } = await unwrap("--write", "zone.conflist");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("results/zone-c1-eth0: it is not a JSON object");
    expect(read("zone.conflist")).toBe(wrapped);
    expect(await unwrap("zone.conflist")).toMatchObject({ exitCode: 2 });
  });

  test("--write refuses while a journal of the list cannot be read; those of other lists do not count", async () => {
    write("zone.conflist", wrapped);
    write("state/wrappers/c1/other:eth0", "damaged\n");
    write("state/wrappers/c1/zone:eth0", "damaged\n");
    const { exitCode, stderr } = await unwrap("--write", "zone.conflist");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("wrappers/c1/zone:eth0: it does not say whose it is");
    expect(stderr).not.toContain("other:eth0");
    expect(read("zone.conflist")).toBe(wrapped);
    write("state/wrappers/c1/zone:eth0", "");
    expect(await unwrap("--write", "zone.conflist")).toMatchObject({ exitCode: 0 });
  });
});
