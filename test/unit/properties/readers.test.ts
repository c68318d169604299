import { deepStrictEqual } from "node:assert";
import { expect, test } from "vitest";
import {
  addressesIn,
  attachmentOf,
  interfaceNames,
  isAttachment,
  parseCachedResult,
} from "../../../cli/live/cached-results.ts";
import { parseRecord } from "../../../shared/record/parse-record.ts";
import { parseLease } from "../../../shared/record/record.ts";
import fc from "../support/fast-check.ts";
import { resultOf, scenes } from "./scene.ts";
import { damaged, jsonObjects, jsonValues } from "./values.ts";

// Names as the specification allows them. Some are names that every object of JavaScript has.
const name = fc.constantFrom("zone", "zone-eth1", "c1", "a.b_c", "constructor", "toString", "0");
const ifName = fc.constantFrom("eth0", "eth1", "a.b@c", "toString");
const address = fc.constantFrom("10.0.0.2/24", "fd00::2/64");
const index = fc.option(fc.nat({ max: 9 }), { nil: undefined });

const records = fc
  .record(
    {
      ...{ network: name, containerId: name, runtimeIfName: ifName, ifName },
      ...{ bootId: name, namespace: name, netns: name, delegate: name, delegateNetwork: name },
      ...{ before: index, made: index, addresses: fc.array(address) },
      ...{ listed: name, added: fc.array(fc.record({ name: ifName, sandbox: name })), outlived: fc.boolean() },
    },
    {
      requiredKeys: [
        "network",
        "containerId",
        "runtimeIfName",
        "ifName",
        "bootId",
        "namespace",
        "netns",
        "delegate",
        "delegateNetwork",
        "addresses",
      ],
    },
  )
  .map((record) => JSON.parse(JSON.stringify(record)));

function fileOf({ network, containerId, runtimeIfName, ifName }: Record<string, unknown>): string {
  return `/var/lib/cni/wrappers/${network}:${containerId}:${runtimeIfName}:${ifName}`;
}

test("a record is read as it was written, and only from its own file", () => {
  fc.assert(
    fc.property(records, records, (record, other) => {
      const text = JSON.stringify(record);
      deepStrictEqual(parseRecord(fileOf(record), text), record);
      const isOwn = fileOf(record) === fileOf(other);
      deepStrictEqual(parseRecord(fileOf(other), text), isOwn ? record : undefined);
    }),
  );
});

test("a damaged record is no record, or one whose parts have their kinds", () => {
  fc.assert(
    fc.property(records, damaged(records), fc.nat({ max: 400 }), (record, broken, end) => {
      const text = JSON.stringify(broken);
      for (const part of [text, text.slice(0, end)]) {
        const read = parseRecord(fileOf(record), part);
        if (read === undefined) continue;
        const { addresses, added = [], before = 0, made = 0, ...names } = read;
        expect([...addresses, ...added.flatMap(({ name, sandbox }) => [name, sandbox])].every(isText)).toBe(true);
        expect([before, made].every(Number.isFinite)).toBe(true);
        expect([names.netns, names.delegate, names.delegateNetwork, names.namespace].every(isText)).toBe(true);
      }
    }),
  );
});

function isText(value: unknown): boolean {
  return typeof value === "string";
}

const lists = jsonObjects(["name", "plugins", "cniVersion"]);
const cached = fc.record({
  ...{ network: name, containerId: name, ifName, netns: name, list: lists },
  ...{
    args: fc.array(fc.tuple(name, name), { maxLength: 2 }),
    capabilityArgs: jsonObjects(["portMappings", "bandwidth"]),
  },
  result: scenes().map((scene) => resultOf(scene)),
});

/** The cache's entry as libcni writes it (libcni/api.go, cachedInfo). */
function entryOf({
  network,
  containerId,
  ifName,
  netns,
  list,
  args,
  capabilityArgs,
  result,
}: typeof cached extends fc.Arbitrary<infer T> ? T : never) {
  const config = Buffer.from(JSON.stringify(list)).toString("base64");
  return {
    kind: "cniCacheV1",
    containerId,
    config,
    ifName,
    networkName: network,
    netns,
    cniArgs: args,
    capabilityArgs,
    result,
  };
}

test("an attachment is read from libcni's cache as the runtime gave it", () => {
  fc.assert(
    fc.property(cached, (attachment) => {
      const read = parseCachedResult("/f", JSON.stringify(entryOf(attachment)));
      expect(read).toEqual({ file: "/f", ...attachment });
    }),
  );
});

test("no file in libcni's cache ends a command, and a damaged result has interfaces and addresses that are texts", () => {
  const texts = fc.oneof(
    damaged(cached.map(entryOf)).map((entry) => JSON.stringify(entry)),
    fc.tuple(cached, jsonValues).map(([one, result]) => JSON.stringify({ ...entryOf(one), netns: "", result })),
    fc.string(),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const read = parseCachedResult("/f", text);
      if (!isAttachment(read)) {
        expect(read.reason).not.toBe("");
        return;
      }
      const { netns, args } = attachmentOf(read, "/opt/cni/bin");
      expect([netns, args, ...interfaceNames(read), ...addressesIn(read)].every(isText)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test("a lease names its container and interface with either end of a line, and an old one names no interface", () => {
  const end = fc.constantFrom("", "\n", "\r\n");
  fc.assert(
    fc.property(name, ifName, fc.constantFrom("\n", "\r\n"), end, (containerId, ifName, between, end) => {
      const lease = { address: "10.0.0.2", containerId, ifName };
      deepStrictEqual(parseLease("10.0.0.2", `${containerId}${between}${ifName}${end}`), lease);
      expect(parseLease("10.0.0.2", containerId)).toBeUndefined();
    }),
  );
});
