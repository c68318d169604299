import { expect, test } from "vitest";
import { callWrapper, environment } from "../support/fake-host.ts";

const mark = { CNI_WRAPPERS_NESTED: "1" };
const stdin = { cniVersion: "1.0.0", name: "zone", wrapper: { ifName: "eth1" } };

test.each(["ADD", "CHECK", "DEL", "GC", "STATUS", "VERSION"])(
  "%s within another wrapper goes to the plugin unchanged, and nothing is kept",
  (command) => {
    const env = { ...mark, CNI_COMMAND: command };
    const outcome = callWrapper({ env, stdin });
    const run = { how: "exec", path: "/opt/cni/bin/bridge", env: { ...environment, ...env }, stdin: undefined };
    expect(outcome.runs).toEqual([run]);
    expect([outcome.files, outcome.asked]).toEqual([{}, []]);
  },
);

test.each([
  ["ADD", { code: 100 }],
  // Every object has a property of this name.
  ["constructor", { code: 100 }],
  ["STATUS", { code: 50 }],
  ["VERSION", { supportedVersions: expect.arrayContaining(["1.1.0"]) }],
])("%s without the plugin has the answer of its verb", (command, answer) => {
  const env = { ...mark, CNI_COMMAND: command };
  const { stdout, runs } = callWrapper({ env, stdin }, { inspect: () => "missing" });
  expect(JSON.parse(stdout)).toMatchObject(answer);
  expect(runs).toEqual([]);
});

test("the executable's own name names no plugin", () => {
  const { stdout } = callWrapper({ calledAs: "/opt/cni/bin/cni-wrappers", env: mark, stdin });
  const msg = expect.stringContaining("started as /opt/cni/bin/cni-wrappers");
  expect(JSON.parse(stdout)).toMatchObject({ code: 7, msg });
});
