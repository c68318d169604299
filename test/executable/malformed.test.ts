import { describe, expect } from "vitest";
import { inTurn, Machine, test } from "./support/machine.ts";

const zone = { cniVersion: "1.0.0", name: "zone" };
const sandbox = "/run/netns/blue";
const eth0 = { cniVersion: "1.0.0", interfaces: [{ name: "eth0", sandbox }] };
const both = { ...eth0, interfaces: [...eth0.interfaces, { name: "eth1", sandbox }] };

/** Faults of the variables: the verb, the change, the code. The unit tests have all: the flavors share that code. */
const variables: [string, string, Record<string, string>, number][] = [
  ["an unknown verb", "PRUNE", {}, 4],
  ["nothing at all", "ADD", { CNI_CONTAINERID: "", CNI_NETNS: "", CNI_IFNAME: "", CNI_PATH: "" }, 4],
  ["a container id of two lines", "CHECK", { CNI_CONTAINERID: "blue\nred" }, 4],
  ["an interface name that is a path", "DEL", { CNI_IFNAME: "../eth0" }, 4],
];

const inputs: [string, string | Uint8Array, number][] = [
  ["nothing", "", 6],
  ["white space", " \n\t", 6],
  ["half an object", '{"name":', 6],
  ["a list", "[]", 6],
  ["null", "null", 6],
  ["a number", "7", 6],
  ["a text", '"zone"', 6],
  ["a word", "zone", 6],
  ["a comment", '{"name":"zone"} // zone', 6],
  ["two objects", '{"name":"zone"}{"name":"zone"}', 6],
  ["YAML", "name: zone\ntype: bridge\n", 6],
  ["invalid UTF-8", Buffer.from('{"name":"z\xff"}', "latin1"), 6],
  ["a byte order mark", '\uFEFF{"name":"zone"}', 6],
  ["UTF-16", Buffer.from('{"name":"zone"}', "utf16le"), 6],
  ["NULs", Buffer.alloc(64), 6],
  ["a control character in a text", '{"name":"zo\u0001ne"}', 6],
  ["lists without an end", "[".repeat(1_000_000), 6],
  ["more than 8 MiB", Buffer.alloc(8 * 1024 * 1024 + 1, " "), 5],
];

/** Faults of the configuration, some of those of the unit tests. */
const configurations: [string, object, number][] = [
  ["no name", { cniVersion: "1.0.0" }, 7],
  ["a version that is a number", { ...zone, cniVersion: 1 }, 6],
  ["a type that is a path", { ...zone, type: "/bin/sh" }, 7],
  ["wrapper as a list", { ...zone, wrapper: [] }, 7],
  ["ifName of 15 characters and more bytes", { ...zone, wrapper: { ifName: "éééééééééééé" } }, 7],
  ["a delegate that is a directory", { ...zone, wrapper: { delegate: ".." } }, 7],
  ["an index out of range", { ...zone, prevResult: { ...both, ips: [{ address: "10.0.0.2/24", interface: 2 }] } }, 7],
  ["a chain in a version to come", { ...zone, cniVersion: "9.0.0", prevResult: {} }, 1],
];

const newest = "1.1.0";

/** The error has the runtime's version if the wrapper could read it. */
async function expectOneError(call: Parameters<Machine["call"]>[0], code: number, version = newest): Promise<void> {
  const machine = new Machine();
  const { exitCode, stdout, stderr } = await machine.call(call);
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "" });
  expect(JSON.parse(Buffer.from(stdout, "latin1").toString())).toEqual({
    cniVersion: version,
    code,
    msg: expect.not.stringMatching(/\n|^$/),
    details: expect.not.stringMatching(/\n *at |^$/),
  });
  expect(machine.calls()).toEqual([]);
}

describe("variables", () => {
  test.each(variables)("%s, %s", (_, command, env, code) => expectOneError({ command, env }, code));
});

test.each(inTurn(["ADD", "CHECK"], inputs))("%s: stdin: %s", (command, _, stdin, code) =>
  expectOneError({ command, stdin }, code),
);

test.each(inTurn(["ADD", "CHECK"], configurations))("%s: the configuration: %s", (command, _, configuration, code) => {
  const { cniVersion } = configuration as { cniVersion?: unknown };
  const version = typeof cniVersion === "string" ? cniVersion : newest;
  return expectOneError({ command, stdin: withDelegate(configuration) }, code, version);
});

const nested = (open: string, close: string, levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`;

// The engines of the flavors give up at different depths, some when they parse, some when they write.
test.for([
  ["a text", '"eth0"'],
  ["a list", "[]"],
  ["a number", "7"],
  ["true", "true"],
  ["a number that is too large", '{"ips":[],"x":1e400}'],
  ["more values than the limit", `[0${",0".repeat(500_000)}]`],
  ["interfaces that are no list", '{"interfaces":{}}'],
  ...[400, 600, 3_000, 20_000, 200_000].flatMap((levels) => [
    [`${levels} lists`, `{"x":${nested("[", "]", levels)}}`],
    [`${levels} objects`, nested('{"x":', "}", levels)],
  ]),
])("DEL passes with a prevResult that is %s", async ([_, prevResult], { machine }) => {
  const stdin = `{"cniVersion":"1.0.0","name":"zone","prevResult":${prevResult},"wrapper":{"delegate":"plain"}}`;
  expect(await machine.call({ command: "DEL", stdin })).toMatchObject({ exitCode: 0 });
  expect(machine.calls()).toEqual(["DEL"]);
});

// If it ran, the test would see it.
function withDelegate(configuration: { wrapper?: object }): string {
  const { wrapper = {} } = configuration;
  if (typeof wrapper !== "object" || Array.isArray(wrapper)) return JSON.stringify(configuration);
  return JSON.stringify({ ...configuration, wrapper: { delegate: "plain", ...wrapper } });
}
