import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { misplacedKeys } from "../../../shared/protocol/request.ts";
import { callWrapper, exits } from "../support/fake-host.ts";

const zone = { cniVersion: "1.0.0", name: "zone", type: "bridge-wrapper" };

function messages(configuration: object, isKnownPlugin = true): string[] {
  const whole = { ...zone, ...configuration };
  return misplacedKeys(whole, isKnownPlugin).map(({ message }) => message);
}

const misplaced = (key: string): string => `invalid plugin configuration: misplaced key ${key}`;

test.each(["args", "ifNames", "mac", "master", "runtimeConfig", "capabilities", "ipam", "cni.dev/attachments"])(
  "%s is no misplaced key of the wrapper at the top level",
  (key) => expect(messages({ [key]: "x" })).toEqual([]),
);

describe("a block with nearly the right name", () => {
  const near = ["Wrapper", "WRAPPER", "wrappers", "Wrappers", "wraper", "wrappr"];
  near.push("rapper", "wraqper", "wrapper ", "wrappper", "wwrapper");

  test.each(near)("%j is misplaced in any plugin", (key) => {
    for (const isKnown of [true, false]) expect(messages({ [key]: {} }, isKnown)).toEqual([misplaced(key)]);
    expect(messages({ [key]: {}, wrapper: {} })).toEqual([misplaced(key)]);
    const details = expect.stringMatching(/^The block is called "wrapper"\. /);
    expect(misplacedKeys({ [key]: {} }, true)).toMatchObject([{ details }]);
  });

  const far = ["wrapper", "wrap", "wrapping", "wappers", "wrapperwrapper", "warpper"];
  far.push("rapperw", "xrappel", "wrapppper", "w", "", "bridge");

  test.each(far)("%j is not", (key) => {
    expect(messages({ [key]: {} }, false)).toEqual([]);
  });
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
