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

test("a renamed interface has its own name and network, and no IP= or MAC=", () => {
  // Without a record, DEL runs under both names: a script may have made the interface.
  const verbs = fc.constantFrom("ADD", "CHECK", "STATUS", "GC");
  const args = fc.subarray(["IP=10.0.0.9", "K=v", "MAC=02:00:00:00:00:01", "IgnoreUnknown=1"]);
  fc.assert(
    fc.property(verbs, keys, args, (CNI_COMMAND, own, args) => {
      const configuration = { ...own, cniVersion: "1.1.0", name: "zone", type: "some-wrapper" };
      const stdin = { ...configuration, wrapper: { role: "creator", ifName: "eth9" } };
      const answer = { interfaces: [{ name: "eth9", sandbox: environment.CNI_NETNS }] };
      const call = given(stdin, { CNI_COMMAND, CNI_ARGS: args.join(";") }, answer);
      deepStrictEqual(call.stdin, { ...configuration, type: "some", name: "zone-eth9" });
      const kept = args.filter((arg) => !/^(IP|MAC)=/.test(arg)).join(";");
      expect(call.env).toMatchObject({ CNI_COMMAND, CNI_IFNAME: "eth9", CNI_ARGS: kept });
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

test("a number of any size reaches the delegate as JavaScript reads it, or the call is refused", () => {
  const number = fc.constantFrom(
    "1e400",
    "-1e400",
    "-0",
    "9007199254740993",
    "1e-400",
    "0.1",
    "12345678901234567890123",
    "1E5",
  );
  fc.assert(
    fc.property(fc.constantFrom("ADD", "CHECK", "GC"), number, number, (CNI_COMMAND, one, other) => {
      const stdin = `{"cniVersion":"1.1.0","name":"zone","wrapper":{"role":"creator"},"mtu":${one},"deep":[{"x":${other}}]}`;
      const { runs, exitCode, stdout } = callWrapper({ calledAs: "some-wrapper", env: { CNI_COMMAND }, stdin });
      if ([one, other].some((text) => text.includes("1e400"))) {
        expect([runs.length, exitCode, JSON.parse(stdout).code]).toEqual([0, 1, 6]);
      } else {
        const read = (text: string) => JSON.parse(JSON.stringify(JSON.parse(text)));
        expect(runs[0]?.stdin).toMatchObject({ mtu: read(one), deep: [{ x: read(other) }] });
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
