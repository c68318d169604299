import { describe, expect, test } from "vitest";
import { inTurn, Machine } from "./support/machine.ts";

const zone = { cniVersion: "1.0.0", name: "zone" };
const sandbox = "/run/netns/blue";
const eth0 = { cniVersion: "1.0.0", interfaces: [{ name: "eth0", sandbox }] };
const both = { ...eth0, interfaces: [...eth0.interfaces, { name: "eth1", sandbox }] };

/** Faults of the variables: the verb, the change, the code. */
const variables: [string, string, Record<string, string>, number][] = [
  ["an unknown verb", "PRUNE", {}, 4],
  ["a verb in small letters", "add", {}, 4],
  ["a verb with a space", "ADD ", {}, 4],
  ["a verb that is a property of every object", "constructor", {}, 4],
  ["no container id", "ADD", { CNI_CONTAINERID: "" }, 4],
  ["no container id", "CHECK", { CNI_CONTAINERID: "" }, 4],
  ["no container id", "DEL", { CNI_CONTAINERID: "" }, 4],
  ["no namespace", "ADD", { CNI_NETNS: "" }, 4],
  ["no namespace", "CHECK", { CNI_NETNS: "" }, 4],
  ["no interface name", "ADD", { CNI_IFNAME: "" }, 4],
  ["no interface name", "DEL", { CNI_IFNAME: "" }, 4],
  ["nothing at all", "ADD", { CNI_CONTAINERID: "", CNI_NETNS: "", CNI_IFNAME: "", CNI_PATH: "" }, 4],
  ["no path", "GC", { CNI_PATH: "" }, 4],
  ["a container id that is a path", "ADD", { CNI_CONTAINERID: "../blue" }, 4],
  ["a container id of two lines", "CHECK", { CNI_CONTAINERID: "blue\nred" }, 4],
  ["an interface name of 16 bytes", "ADD", { CNI_IFNAME: "sixteen-bytes-16" }, 4],
  ["an interface name that is a path", "DEL", { CNI_IFNAME: "../eth0" }, 4],
  ["an interface name with a colon", "ADD", { CNI_IFNAME: "eth0:1" }, 4],
  ["an interface name with a space", "CHECK", { CNI_IFNAME: "eth 0" }, 4],
  ["the interface name ..", "ADD", { CNI_IFNAME: ".." }, 4],
];

/** Faults of stdin. */
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

/** Faults of the configuration. */
const configurations: [string, object, number][] = [
  ["no name", { cniVersion: "1.0.0" }, 7],
  ["an empty name", { ...zone, name: "" }, 7],
  ["a name that is a path", { ...zone, name: "../zone" }, 7],
  ["a name that is a number", { ...zone, name: 7 }, 6],
  ["a version that is a number", { ...zone, cniVersion: 1 }, 6],
  ["a type that is a path", { ...zone, type: "/bin/sh" }, 7],
  ["prevResult as a list", { ...zone, prevResult: [] }, 7],
  ["prevResult as a text", { ...zone, prevResult: "eth0" }, 7],
  ["wrapper as a list", { ...zone, wrapper: [] }, 7],
  ["wrapper as a text", { ...zone, wrapper: "eth1" }, 7],
  ["wrapper as null", { ...zone, wrapper: { ifName: null } }, 7],
  ["ifName of 16 bytes", { ...zone, wrapper: { ifName: "sixteen-bytes-16" } }, 7],
  ["ifName of 15 characters and more bytes", { ...zone, wrapper: { ifName: "éééééééééééé" } }, 7],
  ["ifName as a list", { ...zone, wrapper: { ifName: ["eth1"] } }, 7],
  ["a delegate that is a path", { ...zone, wrapper: { delegate: "../../bin/sh" } }, 7],
  ["a delegate that is a directory", { ...zone, wrapper: { delegate: ".." } }, 7],
  ["an unknown role", { ...zone, wrapper: { role: "both" } }, 7],
  ["another role than the plugin's", { ...zone, wrapper: { delegate: "bridge", role: "meta" } }, 7],
  ["a network that is a path", { ...zone, wrapper: { network: "a/b" } }, 7],
  ["an interface name that no network's can end in", { ...zone, wrapper: { ifName: "eth@1" } }, 7],
  ["unknown args", { ...zone, wrapper: { args: "drop" } }, 7],
  ["a log that is a text", { ...zone, wrapper: { log: "/var/log/cni.log" } }, 7],
  ["a log without a directory", { ...zone, wrapper: { log: { file: "cni.log" } } }, 7],
  ["an unknown level", { ...zone, wrapper: { log: { level: "loud" } } }, 7],
  ["an unknown key", { ...zone, wrapper: { ifname: "eth1" } }, 7],
  ["an unknown key of the log", { ...zone, wrapper: { log: { path: "/l" } } }, 7],
  ["interfaces that are no list", { ...zone, prevResult: { interfaces: {} } }, 7],
  ["an interface without a name", { ...zone, prevResult: { interfaces: [{ sandbox }] } }, 7],
  ["an index out of range", { ...zone, prevResult: { ...both, ips: [{ address: "10.0.0.2/24", interface: 2 }] } }, 7],
  ["a negative index", { ...zone, prevResult: { ...eth0, ips: [{ address: "10.0.0.2/24", interface: -1 }] } }, 7],
  ["a gateway that is no text", { ...zone, prevResult: { ...eth0, routes: [{ gw: {} }] } }, 7],
  ["DNS that is a list", { ...zone, prevResult: { ...eth0, dns: [] } }, 7],
  [
    "a chain in a version without chains",
    { ...zone, cniVersion: "0.2.0", wrapper: { ifName: "eth1" }, prevResult: {} },
    1,
  ],
  ["a chain in a version to come", { ...zone, cniVersion: "9.0.0", prevResult: {} }, 1],
  ["a chain without a version", { name: "zone", wrapper: { ifName: "eth1" }, prevResult: {} }, 1],
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
test.each([
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
])("DEL passes with a prevResult that is %s", async (_, prevResult) => {
  const machine = new Machine();
  machine.answer("DEL", "{}");
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
