import { describe, expect, test } from "vitest";
import { bootId, callWrapper, exits, type Machine } from "./support/fake-host.ts";
import { blue } from "./support/requests.ts";

const file = "/var/lib/cni/wrappers/zone-blue-eth0-eth0";
const cache = "/var/lib/cni/results/zone-blue-eth0";
const here = { bootId, namespace: "4:4026531840" };
const key = { network: "zone", containerId: "blue", runtimeIfName: "eth0", ifName: "eth0" };

const taken = exits(1, { code: 999, msg: 'container veth name "eth0" already exists' });
const refused = exits(1, { code: 999, msg: "duplicate allocation is not allowed" });
const passed = exits(0, { cniVersion: "1.0.0" });

const record = (circumstances: object): string => JSON.stringify({ ...key, ...here, ...circumstances });
const add = (machine: Machine, wrapper = {}) =>
  callWrapper({ stdin: { cniVersion: "1.0.0", name: "zone", wrapper } }, machine);
/** What the delegate was run for, and in which namespace. */
const verbs = ({ runs }: ReturnType<typeof add>) =>
  runs.map(({ env }) => (env.CNI_NETNS === blue ? env.CNI_COMMAND : `${env.CNI_COMMAND} in no namespace`));

describe("the record", () => {
  test("says where and when, once ADD has passed", () => {
    const outcome = add({ answers: [passed] });
    expect(verbs(outcome)).toEqual(["ADD"]);
    expect(JSON.parse(outcome.files[file] ?? "")).toEqual({ ...key, ...here });
  });

  test("is there while ADD runs, so that it outlives the wrapper", () => {
    const outcome = add({ answers: [{ ended: "signal", signal: "SIGKILL" }] });
    expect(JSON.parse(outcome.files[file] ?? "")).toEqual({ ...key, ...here });
  });

  test("stays when ADD fails for what may be its own doing, and goes when something was in its way", () => {
    expect(add({ answers: [refused] }).files).toHaveProperty([file]);
    expect(add({ answers: [taken] }).files).not.toHaveProperty([file]);
  });

  test("goes when the wrapper has failed and the delegate's DEL has passed; stays when that has failed", () => {
    expect(add({ answers: [exits(0, "no JSON"), exits(0)] }).files).not.toHaveProperty([file]);
    expect(add({ answers: [exits(0, "no JSON"), exits(1)] }).files).toHaveProperty([file]);
  });

  test("is not made where libcni knows the attachment as completed: it is older than the records", () => {
    expect(add({ answers: [refused], files: { [cache]: "{}" } }).files).not.toHaveProperty([file]);
  });

  test('is neither read nor written with "never"', () => {
    const files = { [file]: record({ bootId: "before" }) };
    const outcome = add({ answers: [refused], files }, { recover: "never" });
    expect(verbs(outcome)).toEqual(["ADD"]);
    expect(outcome.files).toEqual(files);
  });

  test.each(["", "{", "[]", "{}", '{"network": 1}'])("%j in its place is none", (text) => {
    expect(verbs(add({ answers: [refused], files: { [file]: text } }))).toEqual(["ADD"]);
  });
});

describe("ADD fails", () => {
  const other = { namespace: "4:1" };
  test.each([
    ["no record", "own", {}, ["ADD"]],
    ["a record of this namespace", "own", { [file]: record({}) }, ["ADD", "DEL", "ADD"]],
    ["it was completed since", "own", { [file]: record({}), [cache]: "{}" }, ["ADD"]],
    ["what was completed is older", "own", { [cache]: "{}", [file]: record({}) }, ["ADD", "DEL", "ADD"]],
    ["a record of another namespace", "own", { [file]: record(other) }, ["ADD"]],
    ["a record of another namespace", "always", { [file]: record(other) }, ["ADD", "DEL", "ADD"]],
    ["it was completed since", "always", { [file]: record(other), [cache]: "{}" }, ["ADD", "DEL", "ADD"]],
    ["no record", "always", { [cache]: "{}" }, ["ADD"]],
  ])("%s (%s)", (_, recover, files, expected) => {
    const outcome = add({ answers: [refused, exits(0), passed], files }, { recover });
    expect(verbs(outcome)).toEqual(expected);
    expect(outcome.exitCode).toBe(expected.length === 1 ? 1 : 0);
  });

  test("the second answer counts, whatever it is", () => {
    const answers = [refused, exits(0), taken];
    const outcome = add({ answers, files: { [file]: record({}) } });
    expect(outcome).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("already exists"), writes: 1 });
    expect(outcome.files).not.toHaveProperty([file]);
  });

  test("a DEL that fails does not keep ADD from being tried", () => {
    expect(verbs(add({ answers: [refused, exits(1), passed], files: { [file]: record({}) } }))).toEqual([
      "ADD",
      "DEL",
      "ADD",
    ]);
  });

  test("a record of another namespace is kept, so that every further try fails as well", () => {
    const files = { [file]: record(other) };
    expect(add({ answers: [taken], files }).files).toEqual(files);
  });
});

describe("after a reboot", () => {
  const files = { [cache]: "{}", [file]: record({ bootId: "before" }) };

  test("DEL is run first, where there is no namespace to do harm in", () => {
    const outcome = add({ answers: [exits(0), passed], files });
    expect(verbs(outcome)).toEqual(["DEL in no namespace", "ADD"]);
    expect(JSON.parse(outcome.files[file] ?? "")).toEqual({ ...key, ...here });
  });

  test("an ADD that fails then is of this boot", () => {
    expect(JSON.parse(add({ answers: [exits(0), refused], files }).files[file] ?? "")).toEqual({ ...key, ...here });
    expect(add({ answers: [exits(0), taken], files }).files).not.toHaveProperty([file]);
  });
});

describe("no healing, and a line in the log", () => {
  const log = { file: "/log", level: "warn" };
  const files = { [file]: record({}) };

  test.each([
    ["no record can be written", { writeProblem: "ENOSPC" }, "cannot write the record: ENOSPC"],
    ["there is no boot id", { files: { ...files, "/proc/sys/kernel/random/boot_id": "" } }, "cannot read the boot id"],
  ])("where %s", (_, machine, problem) => {
    const outcome = add({ answers: [refused], ...machine }, { log });
    expect(verbs(outcome)).toEqual(["ADD"]);
    expect(outcome.log.map(({ line }) => JSON.parse(line).message)).toContain(`no healing: ${problem}`);
  });
});

describe("records go", () => {
  test("with DEL: the attachment's own", () => {
    const others = { "/var/lib/cni/wrappers/zone-blue-eth0-eth1": record({ ifName: "eth1" }) };
    const env = { CNI_COMMAND: "DEL" };
    expect(callWrapper({ env }, { files: { ...others, [file]: record({}) } }).files).toEqual(others);
  });

  test("with GC: those of its network and interface that are not valid any more", () => {
    const directory = "/var/lib/cni/wrappers";
    const kept = {
      [`${directory}/zone-red-eth0-eth0`]: record({ containerId: "red" }),
      [`${directory}/zone-blue-eth0-eth1`]: record({ ifName: "eth1" }),
      [`${directory}/zone-two-blue-eth0-eth0`]: record({ network: "zone-two" }),
      [`${directory}/zone-broken`]: "{",
    };
    const env = { CNI_COMMAND: "GC", CNI_CONTAINERID: "", CNI_NETNS: "", CNI_IFNAME: "" };
    const stdin = { name: "zone", "cni.dev/valid-attachments": [{ containerID: "red", ifname: "eth0" }] };
    expect(callWrapper({ env, stdin }, { files: { ...kept, [file]: record({}) } }).files).toEqual(kept);
    const none = { name: "zone", "cni.dev/valid-attachments": [], wrapper: { ifName: "eth1" } };
    const { [`${directory}/zone-blue-eth0-eth1`]: _, ...others } = kept;
    expect(callWrapper({ env, stdin: none }, { files: kept }).files).toEqual(others);
  });
});

interface Given {
  readonly args?: { readonly cni: { readonly ips?: readonly string[] } };
}

describe("the addresses of a completed attachment", () => {
  const sandbox = blue;
  const completed = {
    kind: "cniCacheV1",
    result: { interfaces: [{ name: "eth0", sandbox }], ips: [{ address: "10.0.0.2/24", interface: 0 }] },
  };
  const files = { [cache]: JSON.stringify(completed), [file]: record({ bootId: "before" }) };
  const stdin = { cniVersion: "1.0.0", name: "zone", ipam: { type: "host-local" } };
  const asked = ({ runs }: ReturnType<typeof add>) =>
    runs.map(({ env, stdin: given }) => [env.CNI_COMMAND, (given as Given).args?.cni.ips?.join()]);
  const callAgain = (...answers: Machine["answers"] & object) => callWrapper({ stdin }, { answers, files });

  test("are asked for again", () => {
    expect(asked(callAgain(exits(0), passed))).toEqual([
      ["DEL", undefined],
      ["ADD", "10.0.0.2/24"],
    ]);
  });

  test("are given up when they cannot be had, after another DEL", () => {
    const outcome = callAgain(exits(0), refused, exits(0), passed);
    expect(outcome.exitCode).toBe(0);
    expect(asked(outcome)).toEqual([
      ["DEL", undefined],
      ["ADD", "10.0.0.2/24"],
      ["DEL", undefined],
      ["ADD", undefined],
    ]);
  });

  test("are not a reason to delete what somebody else made", () => {
    const outcome = callAgain(exits(0), taken);
    expect(outcome.exitCode).toBe(1);
    expect(asked(outcome)).toHaveLength(2);
  });
});
