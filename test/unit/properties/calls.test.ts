import { deepStrictEqual } from "node:assert";
import { expect, test } from "vitest";
import { callWrapper, environment, exits } from "../support/fake-host.ts";
import fc from "../support/fast-check.ts";
import { resultOf, scenes } from "./scene.ts";
import { jsonObjects } from "./values.ts";

const result = scenes({ severalSandboxes: false }).map((scene) => resultOf(scene));
const keys = jsonObjects(["ipam", "mtu", "runtimeConfig", "args", "capabilities", "valid"]);

/** The configuration and the variables that the delegate of a call gets. */
function given(stdin: unknown, env: Record<string, string>, answer: unknown = {}) {
  const call = { calledAs: "/opt/cni/bin/some-wrapper", env, stdin };
  const [run] = callWrapper(call, { answers: [exits(0, answer)] }).runs;
  return { stdin: run?.stdin, env: run?.env };
}

test("every key and every variable reaches the delegate unchanged, except those that are the wrapper's", () => {
  const verbs = fc.constantFrom("ADD", "CHECK", "DEL", "STATUS", "GC");
  fc.assert(
    fc.property(verbs, keys, result, (CNI_COMMAND, own, answer) => {
      const configuration = { ...own, cniVersion: "1.1.0", name: "zone", type: "some-wrapper" };
      const stdin = { ...configuration, wrapper: { role: "creator" } };
      const call = given(stdin, { CNI_COMMAND, CNI_ARGS: "IP=10.0.0.9", OTHER: "x" }, answer);
      deepStrictEqual(call.stdin, { ...configuration, type: "some" });
      expect(call.env).toMatchObject({ ...environment, CNI_COMMAND, CNI_ARGS: "IP=10.0.0.9", OTHER: "x" });
    }),
  );
});

test("GC: every container gets the wrapper's interface, and nothing is removed from the lists", () => {
  const attachment = fc.record(
    {
      containerID: fc.constantFrom("c1", "c2", "toString", "__proto__"),
      ifname: fc.constantFrom("eth0", "eth1", "net1"),
    },
    { noNullPrototype: true },
  );
  const list = fc.array(fc.oneof(attachment, jsonObjects(["containerID", "ifname"])), { maxLength: 5 });
  fc.assert(
    fc.property(list, list, (valid, former) => {
      const lists = { "cni.dev/valid-attachments": valid, "cni.dev/attachments": former };
      const stdin = { cniVersion: "1.1.0", name: "zone", wrapper: { role: "creator", ifName: "eth1" }, ...lists };
      const call = given(stdin, { CNI_COMMAND: "GC" });
      for (const [key, before] of Object.entries(lists)) {
        const after = (call.stdin as Record<string, typeof before>)[key] ?? [];
        deepStrictEqual(after.slice(0, before.length), before);
        const added = new Set(after.slice(before.length).map((one) => JSON.stringify(one)));
        const has = (containerID: unknown) =>
          before.some((one) => one.containerID === containerID && one.ifname === "eth1");
        const lacking = before.map((one) => one.containerID).filter((containerID) => !has(containerID));
        expect(added).toEqual(new Set(lacking.map((containerID) => JSON.stringify({ containerID, ifname: "eth1" }))));
      }
    }),
  );
});

test("a failed delegate's answer reaches the runtime as it is, with a log and without", () => {
  const answers = jsonObjects(["cniVersion", "code", "msg", "details"]);
  const log = fc.constantFrom(
    undefined,
    { file: "/var/log/cni.log", level: "error" },
    { file: "/var/log/cni.log", level: "debug" },
  );
  fc.assert(
    fc.property(fc.constantFrom("ADD", "CHECK", "DEL", "STATUS"), answers, log, (CNI_COMMAND, answer, log) => {
      const stdin = { cniVersion: "1.1.0", name: "zone", wrapper: { role: "creator", ...(log && { log }) } };
      const call = { calledAs: "some-wrapper", env: { CNI_COMMAND }, stdin };
      const { exitCode, stdout } = callWrapper(call, { answers: [exits(3, JSON.stringify(answer))] });
      expect([exitCode, stdout]).toEqual([3, JSON.stringify(answer)]);
    }),
  );
});
