import { deepStrictEqual } from "node:assert";
import { expect, test } from "vitest";
import { profiles } from "../../../plugins/index.ts";
import type { Profile } from "../../../shared/plugin/profile.ts";
import { callWrapper, exits, type Machine } from "../support/fake-host.ts";
import fc from "../support/fast-check.ts";
import { blue } from "../support/requests.ts";
import { resultOf, scenes } from "./scene.ts";
import { jsonObjects, jsonValues } from "./values.ts";

/** The keys in whose values the wrapper looks. All other values of these calls are left unread, whatever their size. */
const read = [
  "bridge",
  "cniversion",
  "ipam",
  "isdefaultgateway",
  "isgateway",
  "name",
  "prevresult",
  "runtimeconfig",
  "type",
  "vlan",
  "wrapper",
];

/** Outlines a configuration as the slim flavor's host does, without its limit of the size. */
function outlined(text: string, read: string): string | undefined {
  if (JSON.stringify(JSON.parse(text)) !== text) return undefined;
  let [object, end] = ["", 0];
  const large: unknown[] = [];
  for (const [key, value] of Object.entries(JSON.parse(text))) {
    const [name, content] = [JSON.stringify(key), JSON.stringify(value)];
    const start = end + 1 + Buffer.byteLength(name) + 1;
    end = start + Buffer.byteLength(content);
    const isRead = !/^[!-~]+$/.test(key) || read.includes(` ${key.toLowerCase()} `);
    object += `,${name}:${isRead ? content : 0}`;
    if (!isRead) large.push([key, start, end]);
  }
  return `[{${object.slice(1)}}${large.map((one) => `,${JSON.stringify(one)}`).join("")}]`;
}

const flags = fc.constantFrom<unknown>(true, false, 0, 7, "", "x", [], {}, { type: "x" });
const otherKeys = ["IPAM", "args", "isgateway", "mtu", "ISDEFAULTGATEWAY", "toJSON", "prevresult", "Wrapper", "é"];

const own = fc.record(
  {
    ipam: fc.constantFrom<unknown>({ type: "static" }, { type: "static" }, { TYPE: "x" }, { wrapper: {} }, null, []),
    bridge: fc.constantFrom<unknown>("br0", "br0", 7, null),
    isGateway: flags,
    isDefaultGateway: flags,
    vlan: flags,
    runtimeConfig: fc.oneof(fc.constant({ portMappings: [{ containerPort: 1 }, { containerPort: 2 }] }), jsonValues),
    args: jsonValues,
  },
  { requiredKeys: [], noNullPrototype: true },
);

const wrapper = fc.record(
  {
    ifName: fc.constantFrom("eth0", "eth1"),
    delegate: fc.constantFrom("bridge", "some"),
    ports: fc.constant({ only: [2] }),
    log: fc.record({ file: fc.constant("/l"), level: fc.constantFrom("debug", "error") }),
    jq: fc.constant("."),
  },
  { requiredKeys: [], noNullPrototype: true },
);

/** A result with a bridge, so that the wrapper looks for the keys that fix its MAC. */
const withBridge = fc.constantFrom("br0", "cni0").map((name) => ({
  interfaces: [
    { name, mac: "02:00:00:00:00:01" },
    { name: "eth0", sandbox: blue },
  ],
}));
const prevResult = fc.oneof(
  scenes().map((scene) => resultOf(scene)),
  withBridge,
  withBridge,
);

const configuration = fc
  .record({
    first: jsonObjects(otherKeys),
    own,
    more: fc.record({ wrapper, prevResult }, { requiredKeys: ["prevResult"], noNullPrototype: true }),
    fixed: fc.record({
      cniVersion: fc.constantFrom<unknown>("1.0.0", "1.0.0", "0.2.0", null, 7),
      name: fc.constantFrom<unknown>("zone", "zone", "zone", {}),
      type: fc.constantFrom<unknown>("bridge-wrapper", "bridge-wrapper", undefined, []),
    }),
  })
  .map(({ first, own, more, fixed }) => JSON.stringify({ ...first, ...fixed, ...own, ...more }));

const delegates = fc.constantFrom("bridge", "bridge", "bridge", "bridge", ...Object.keys(profiles), "some");

/** The property that a CHECK with unread values has the same outcome as without. */
function sameOutcome(outline: NonNullable<Machine["outline"]>) {
  return fc.property(configuration, delegates, fc.boolean(), (stdin, delegate, canExec) => {
    const call = { calledAs: `${delegate}-wrapper`, env: { CNI_COMMAND: "CHECK" }, stdin };
    const machine = { canExec, answers: [exits(1, '{"code":11}'), exits(0)] };
    deepStrictEqual(callWrapper(call, { ...machine, outline }), callWrapper(call, machine));
  });
}

test("a value that is left unread has the same outcome as one that is read", () => {
  fc.assert(
    sameOutcome((bytes, read) => outlined(String(bytes), read)),
    { numRuns: 1000 },
  );
});

test.each(read)("it would not, if the value of %s was left unread", (key) => {
  const property = sameOutcome((bytes, read) => {
    const fewer = read.replace(` ${key} `, " ");
    expect(fewer).not.toBe(read);
    return outlined(String(bytes), fewer);
  });
  expect(fc.check(property, { numRuns: 10_000, endOnFailure: true }).failed).toBe(true);
});

test.each(["ADD", "DEL", "GC", "STATUS"])("%s reads all values", (command) => {
  const outline: Machine["outline"] = () => expect.unreachable("the host was asked for an outline");
  const call = { env: { CNI_COMMAND: command }, stdin: '{"cniVersion":"1.0.0","name":"zone","args":{}}' };
  expect(callWrapper(call, { outline, answers: [exits(0, "{}")] })).toStrictEqual(
    callWrapper(call, { answers: [exits(0, "{}")] }),
  );
});

test("the wrapper looks into these values and no others, and into the keys of every profile", () => {
  let asked = "";
  const stdin = '{"cniVersion":"1.0.0","name":"zone"}';
  const outline: Machine["outline"] = (_, read) => {
    asked = read;
    return undefined;
  };
  callWrapper({ env: { CNI_COMMAND: "CHECK" }, stdin }, { outline });
  expect(asked.trim().split(" ").sort()).toEqual(read.toSorted());
  const shared = (Object.values(profiles) as Profile[]).flatMap(({ sharedDevice }) => sharedDevice ?? []);
  const named = shared.flatMap(({ key, fixedMac: { all, any, none } }) => [key, ...all, ...any, ...none]);
  expect(read).toEqual(expect.arrayContaining(named.map((key) => key.toLowerCase())));
});
