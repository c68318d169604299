import { globSync, readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  type ConfiguredVerb,
  decodeConfiguration,
  misplacedKeys,
  parseRequest,
  parseVariables,
  resultProblem,
  type Variables,
} from "../../../shared/protocol/request.ts";
import { callWrapper, exits } from "../support/fake-host.ts";
import { withShallowJson } from "../support/shallow-json.ts";

const strictVerbs = ["ADD", "CHECK", "GC"] as const;
const lenientVerbs = ["DEL", "STATUS"] as const;
const verbs = [...strictVerbs, ...lenientVerbs];

function parse(command: ConfiguredVerb, stdin: string | undefined) {
  const variables: Variables = { command, containerId: "", netns: "", ifName: "", args: "", path: "" };
  return parseRequest(command, variables, decodeConfiguration(command, stdin));
}

function parseConfiguration(command: ConfiguredVerb, configuration: object) {
  return parse(command, JSON.stringify({ cniVersion: "1.0.0", name: "zone", ...configuration }));
}

/** The error of stdin that is no configuration, with a part of its details. */
const undecodable = (why: string) =>
  expect.objectContaining({
    code: 6,
    message: "error unmarshall network config",
    details: expect.stringContaining(why),
  });
/** The error of a configuration that is not right, with a part of its message. */
const invalid = (problem: string) =>
  expect.objectContaining({ code: 7, message: expect.stringContaining(`invalid plugin configuration: ${problem}`) });

describe.each(verbs)("%s", (command) => {
  test("unknown keys and the order of keys are kept", () => {
    const text =
      '{"zeta":1,"wrapper":{"log":{"level":"debug","file":"/l"},"ifName":"eth1"},"name":"zone","ipam":{"x":[1,{}]},' +
      '"__proto__":{"a":1},"type":"bridge-wrapper","cniVersion":"1.0.0","prevResult":{"ips":[],"extra":true}}';
    const { configuration, variables: _, ...rest } = parse(command, text);
    expect(JSON.stringify(configuration)).toBe(text);
    const wrapper = { log: { level: "debug", file: "/l" }, ifName: "eth1" };
    expect(rest).toStrictEqual({ command, wrapper, unusable: [], warnings: [] });
  });

  test("a wrapper block of null counts as missing", () => {
    const none = { wrapper: {}, unusable: [], warnings: [] };
    expect(parseConfiguration(command, { wrapper: null })).toMatchObject(none);
  });

  test("stdin with more than 500,000 commas and opening brackets: code 6", () => {
    const why = "it has more than 500,000 commas and opening brackets.";
    expect(() => parse(command, `{"name":"zone","x":[0${",0".repeat(500_000)}]}`)).toThrow(undecodable(why));
  });

  test.each([
    [undefined, "it is not valid UTF-8"],
    ["", "it is empty"],
    [" \n", "it is empty"],
    ["[]", "it is not a JSON object"],
    ["null", "it is not a JSON object"],
    ['{"cniVersion":1}', "cniVersion must be a string"],
    ['{"cniVersion":"1.0.0","name":7}', "name must be a string"],
    ["{", "it is not JSON."],
    ['{"name":"zone"} {}', "it is not JSON."],
    ['\uFEFF{"name":"zone"}', "it is not JSON."],
  ])("stdin %j: code 6, %s", (stdin, what) => {
    expect(() => parse(command, stdin)).toThrow(undecodable(what));
  });

  test.each([
    [{ name: undefined }, "name must be a string"],
    [{ name: "a b" }, "name must begin with a letter or digit"],
    [{ cniVersion: null }, "cniVersion must be a string"],
    [{ type: "/bin/sh" }, "type must not contain a path separator"],
  ])("%j: code 7, %s", (configuration, problem) => {
    expect(() => parseConfiguration(command, configuration)).toThrow(invalid(problem));
  });
});

test("an engine without memory does not call a configuration wrong", () => {
  const spy = vi.spyOn(JSON, "parse").mockImplementation(() => {
    throw new Error("out of memory");
  });
  onTestFinished(() => spy.mockRestore());
  expect(() => parse("ADD", '{"name":"zone"}')).toThrow(/^out of memory$/);
});

test.each(strictVerbs)("%s: a prevResult that is no object: code 7, and one that is too deep: code 6", (command) => {
  for (const prevResult of [[], "none", 7, true])
    expect(() => parseConfiguration(command, { prevResult })).toThrow(invalid("prevResult must be an object"));
  const parseDeep = () => withShallowJson(() => parse(command, '{"name":"zone","prevResult":[[[[]]]]}'));
  expect(parseDeep).toThrow(undecodable("it is nested too deeply."));
});

describe.each(lenientVerbs)("%s, a prevResult that no plugin can read", (command) => {
  const text = (prevResult: string) =>
    `{"name":"zone","a":"prevResult","b":{"prevResult":1},"prevResult" : ${prevResult},"x":"\\"prevResult\\":[[[["}`;
  const others = { name: "zone", a: "prevResult", b: { prevResult: 1 }, x: '"prevResult":[[[[' };
  const why = "it is not an object, has too many values or levels, or a number like 1e400";
  const warnings = [`prevResult is ignored: ${why}`];

  const [tooDeep, tooLong] = [`{"ips":${"[".repeat(500)}${"]".repeat(500)}}`, `[0${",0".repeat(500_000)}]`];

  test.each(["[]", '"none"', "7", "true", tooDeep, '{"x":1e400}', tooLong])(
    "%.20s: ignored, with a warning",
    (prevResult) => {
      const { configuration, ...rest } = parse(command, text(prevResult));
      expect({ configuration, warnings: rest.warnings }).toStrictEqual({ configuration: others, warnings });
    },
  );

  test("is ignored beside other faults, which have their warnings, too", () => {
    const block = { ifName: 7, role: "other", network: "disc" };
    const { wrapper, warnings: all } = parseConfiguration(command, { prevResult: [], wrapper: block });
    expect(wrapper).toEqual({ network: "disc" });
    const ofRole = expect.stringMatching(/^wrong value ignored: wrapper\.role must be /);
    expect(all).toEqual([...warnings, "wrong value ignored: wrapper.ifName must be a string", ofRole]);
  });

  test.each(['[[[["]"]]]]', '{"\\"":[[[["\\\\"]]]]},"prevResult":[[[[]]]]'])(
    "%s is too deep for the engine: ignored, and nothing else is",
    (prevResult) => {
      const { configuration } = withShallowJson(() => parse(command, text(prevResult).replace("[[[[" + '"}', '"}')));
      expect(configuration).toStrictEqual({ ...others, x: '"prevResult":' });
    },
  );

  test.each(["null", `{"ips":${"[".repeat(499)}${"]".repeat(499)}}`])("%.20s is not ignored", (prevResult) => {
    const configuration = { ...others, prevResult: JSON.parse(prevResult) };
    expect(parse(command, text(prevResult))).toMatchObject({ configuration, warnings: [] });
  });
});

/** An operator's mistakes under `wrapper`. */
const wrongBlocks: [unknown, string][] = [
  [[], "wrapper must be an object"],
  ["eth1", "wrapper must be an object"],
  [{ ifName: 1 }, "wrapper.ifName must be a string"],
  [{ ifName: "a/b" }, "wrapper.ifName must not contain '/', ':' or white space"],
  [{ role: "both" }, 'wrapper.role must be "creator" or "meta"'],
];

/** Keys that DEL does not need. */
const wrongOnTheSide: [object, string][] = [
  [{ log: "/var/log/cni.log" }, "wrapper.log must be an object"],
  [{ log: { file: "cni.log" } }, "wrapper.log.file must be an absolute path"],
  [{ log: { level: "trace" } }, 'wrapper.log.level must be "error" or "warn" or "info" or "debug"'],
  [{ args: "drop" }, 'wrapper.args must be "keep" or an object'],
  [{ ports: { only: ["8999-8000"] } }, 'wrapper.ports has "8999-8000" under "only", which begins with the higher port'],
  [{ recover: "sometimes" }, 'wrapper.recover must be "own" or "always" or "never"'],
];

// An attachment must stay removable, and a runtime may skip DEL if STATUS fails.
test.each([...wrongBlocks, ...wrongOnTheSide])(
  "wrong values under wrapper, %j: code 7, and on DEL and STATUS they are ignored with a warning: %s",
  (wrong, problem) => {
    for (const command of strictVerbs)
      expect(() => parseConfiguration(command, { wrapper: wrong })).toThrow(invalid(problem));
    for (const command of lenientVerbs) {
      const { wrapper, warnings } = parseConfiguration(command, { wrapper: wrong });
      expect(wrapper).toStrictEqual({});
      expect(warnings).toEqual([expect.stringContaining(`wrong value ignored: ${problem}`)]);
    }
  },
);

test.each(wrongOnTheSide)(
  "wrong values under wrapper, %j: on DEL and STATUS the other keys count: %s",
  (wrong, problem) => {
    for (const command of lenientVerbs) {
      const block = { ...wrong, ifName: "eth1", netwrok: "x" };
      const { wrapper, unusable, warnings } = parseConfiguration(command, { wrapper: block });
      expect(wrapper).toStrictEqual({ ifName: "eth1", netwrok: "x" });
      expect(unusable).toEqual(Object.keys(wrong));
      expect(warnings).toEqual([expect.stringContaining(problem), expect.stringContaining("wrapper.netwrok")]);
    }
  },
);

const unknownKeys: [object, string, string][] = [
  [{ ifname: "eth1" }, "wrapper.ifname", "wrapper.ifName"],
  [{ ifName: "eth1", netwrok: "x" }, "wrapper.netwrok", "wrapper.network"],
  [{ log: { path: "/l" } }, "wrapper.log.path", "wrapper.log.file"],
  [{ log: { Level: "info" } }, "wrapper.log.Level", "wrapper.log.level"],
  [{ ports: { onyl: [443] } }, "wrapper.ports.onyl", "wrapper.ports.only"],
  [{ slaac: { wiat: "5s" } }, "wrapper.slaac.wiat", "wrapper.slaac.wait"],
  [{ ports: { only: [443], Except: [80] } }, "wrapper.ports.Except", "wrapper.ports.except"],
];

test.each(unknownKeys)(
  "unknown keys under wrapper, %j: %s is code 7, or a warning: meant is %s",
  (wrapper, key, meant) => {
    const message = `invalid plugin configuration: unknown key ${key}`;
    const keys = key.startsWith("wrapper.log.") ? " The keys are file, level." : "";
    const details = expect.stringContaining(`Did you mean ${meant}?${keys}`);
    for (const command of strictVerbs)
      expect(() => parseConfiguration(command, { wrapper })).toThrow(
        expect.objectContaining({ code: 7, message, details }),
      );
    for (const command of lenientVerbs)
      expect(parseConfiguration(command, { wrapper })).toMatchObject({ wrapper, warnings: [message] });
  },
);

describe("many or long unknown keys", () => {
  test("20 of them are named", () => {
    const keys = Array.from({ length: 21 }, (_, index) => `key${index}`);
    const { warnings } = parseConfiguration("DEL", { wrapper: Object.fromEntries(keys.map((key) => [key, 1])) });
    const named = keys.slice(0, 20).map((key) => `invalid plugin configuration: unknown key wrapper.${key}`);
    expect(warnings).toEqual(named);
  });

  test("64 characters of each are shown", () => {
    const [long, tooLong] = [`a${"b".repeat(63)}`, `a${"b".repeat(64)}`];
    const warnings = (key: string) => parseConfiguration("DEL", { wrapper: { [key]: 1 } }).warnings;
    expect(warnings(long)).toEqual([`invalid plugin configuration: unknown key wrapper.${long}`]);
    expect(warnings(tooLong)).toEqual([`invalid plugin configuration: unknown key wrapper.${long}…`]);
  });
});

test.each([
  [{ ips: [{ address: "", interface: null }] }, undefined],
  [{ interfaces: [{}] }, "prevResult.interfaces[0].name must be a string"],
  [{ ips: [{ address: "", interface: 0 }] }, "prevResult.ips[0].interface is outside the list of 0 interfaces"],
  [
    { interfaces: [{ name: "eth0" }], ips: [0, 1, 2].map((index) => ({ address: "", interface: index })) },
    "prevResult.ips[1].interface is outside the list of 1 interfaces",
  ],
])("the problem of the result %j: %s", (result, problem) => {
  expect(resultProblem(result, "prevResult")).toBe(problem);
});

const complete = {
  CNI_CONTAINERID: "blue",
  CNI_NETNS: "/run/netns/blue",
  CNI_IFNAME: "eth0",
  CNI_ARGS: "IgnoreUnknown=1;K8S_POD_NAME=web",
  CNI_PATH: "/opt/cni/bin:/usr/lib/cni",
};

test.each(["ADD", "DEL", "CHECK", "GC", "STATUS", "VERSION"])("%s: each variable has its place", (command) => {
  expect(parseVariables({ CNI_COMMAND: command, ...complete })).toStrictEqual({
    command,
    containerId: "blue",
    netns: "/run/netns/blue",
    ifName: "eth0",
    args: "IgnoreUnknown=1;K8S_POD_NAME=web",
    path: "/opt/cni/bin:/usr/lib/cni",
  });
});

// SPEC.md, section 2: "Required environment parameters" of each verb.
describe.each([
  ["unset", {}],
  ["empty", { CNI_CONTAINERID: "", CNI_NETNS: "", CNI_IFNAME: "", CNI_PATH: "" }],
])("%s variables", (_, env) => {
  test.each([
    ["ADD", "CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME"],
    ["CHECK", "CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME"],
    ["DEL", "CNI_CONTAINERID,CNI_IFNAME"],
    ["GC", "CNI_PATH"],
  ])("%s reports every missing variable: %s", (command, missing) => {
    expect(() => parseVariables({ CNI_COMMAND: command, ...env })).toThrow(
      expect.objectContaining({ code: 4, message: `required env variables [${missing}] missing` }),
    );
  });

  test.each(["STATUS", "VERSION"])("%s needs none", (command) => {
    const none = { containerId: "", netns: "", ifName: "", args: "", path: "" };
    expect(parseVariables({ CNI_COMMAND: command, ...env })).toStrictEqual({ command, ...none });
  });
});

test.each([undefined, "", "add", " ADD", "ADD ", "PRUNE", "toString", "__proto__"])("%j is not a verb", (command) => {
  expect(() => parseVariables({ CNI_COMMAND: command, ...complete })).toThrow(
    expect.objectContaining({ code: 4, message: `unknown CNI_COMMAND: ${command ?? ""}` }),
  );
});

test.each([
  ["CNI_CONTAINERID", "../blue"],
  ["CNI_IFNAME", "eth0/1"],
])("ADD, DEL and CHECK refuse an invalid name: %s=%s", (name, value) => {
  const invalid = { code: 4, message: `invalid env variable ${name}`, details: expect.stringContaining(value) };
  for (const command of ["ADD", "DEL", "CHECK"])
    expect(() => parseVariables({ CNI_COMMAND: command, ...complete, [name]: value })).toThrow(
      expect.objectContaining(invalid),
    );
});

const zone = { cniVersion: "1.0.0", name: "zone", type: "bridge-wrapper" };

function messages(configuration: object, isKnownPlugin = true): string[] {
  const whole = { ...zone, ...configuration };
  return misplacedKeys(whole, isKnownPlugin).map(({ message }) => message);
}

const misplaced = (key: string): string => `invalid plugin configuration: misplaced key ${key}`;

test("a plugin's own keys are no misplaced keys of the wrapper, also if both have one of that name", () => {
  for (const key of [
    "args",
    "ifNames",
    "mac",
    "master",
    "runtimeConfig",
    "capabilities",
    "ipam",
    "cni.dev/attachments",
  ])
    expect(messages({ [key]: "x" })).toEqual([]);
});

describe("a block with nearly the right name", () => {
  test.each(["Wrapper", "WRAPPER", "wrappers", "wraper", "rapper", "wraqper", "wrappper", "wwrapper"])(
    "%j is misplaced in any plugin",
    (key) => {
      for (const isKnown of [true, false]) expect(messages({ [key]: {} }, isKnown)).toEqual([misplaced(key)]);
      expect(messages({ [key]: {}, wrapper: {} })).toEqual([misplaced(key)]);
      const details = expect.stringMatching(/^The block is called "wrapper"\. /);
      expect(misplacedKeys({ [key]: {} }, true)).toMatchObject([{ details }]);
    },
  );

  test.each(["wrapper", "wrap", "wrapping", "wappers", "warpper", "rapperw", "xrappel", "w", "", "bridge"])(
    "%j is not",
    (key) => expect(messages({ [key]: {} }, false)).toEqual([]),
  );
});

test.each([
  [{ ipam: { type: "host-local", wrapper: {} } }, "ipam.wrapper"],
  [{ ipam: { Wrapper: {} } }, "ipam.Wrapper"],
  [{ IPAM: { wrapper: {} } }, "ipam.wrapper"],
])("a block in ipam, %j, is misplaced in any plugin", (configuration, key) => {
  for (const isKnown of [true, false]) expect(messages(configuration, isKnown)).toEqual([misplaced(key)]);
  const details = expect.stringMatching(/^Move the block out of "ipam"\. /);
  expect(misplacedKeys(configuration, true)).toMatchObject([{ details }]);
});

describe("a misplaced key", () => {
  const stdin = { ...zone, ifname: "eth1", wrappers: {} };

  test("belongs to the plugin if the wrapper does not know that plugin", () => {
    const call = { calledAs: "/opt/cni/bin/flannel-wrapper", stdin: { ...zone, delegate: {}, ifName: "eth1" } };
    const { runs } = callWrapper(call, { answers: [exits(0, "{}")] });
    expect(runs.map(({ stdin }) => stdin)).toMatchObject([{ ifName: "eth1" }]);
    expect(runs[0]?.stdin).toHaveProperty("delegate", {});
  });

  test.each(["CHECK", "DEL", "GC", "STATUS"])("is a warning in the log of %s, and the delegate gets it", (command) => {
    const env = { CNI_COMMAND: command, CNI_WRAPPERS_LOG: "/log", CNI_WRAPPERS_LOG_LEVEL: "warn" };
    const outcome = callWrapper({ env, stdin });
    expect(outcome).toMatchObject({ exitCode: 0, stdout: "", runs: [{ stdin: { ifname: "eth1" } }] });
    expect(outcome.log.map(({ line }) => JSON.parse(line))).toMatchObject([
      { level: "warn", message: misplaced("ifname") },
      { level: "warn", message: misplaced("wrappers") },
    ]);
    const { log } = callWrapper({ env, stdin: { ...zone, ifname: "eth1" } });
    expect(log.map(({ line }) => JSON.parse(line))).toMatchObject([{ level: "warn", message: misplaced("ifname") }]);
  });
});

test("the examples have none", () => {
  const lists = globSync("conf-examples/*.conflist").map((file) => JSON.parse(readFileSync(file, "utf8")));
  const plugins = lists.flatMap((list) => list.plugins);
  expect(plugins.length).toBeGreaterThan(10);
  for (const plugin of plugins) expect(misplacedKeys(plugin, true)).toEqual([]);
});
