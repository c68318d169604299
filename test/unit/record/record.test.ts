import { describe, expect, test } from "vitest";
import { instanceOf } from "../../../shared/plan/listed.ts";
import { targetOf } from "../../../shared/call/target.ts";
import { parseRecord } from "../../../shared/record/parse-record.ts";
import { metaRecordFile, recordFile } from "../../../shared/record/record.ts";
import { recordOf } from "../support/records.ts";
import { requestOf } from "../support/requests.ts";

const record = recordOf({ addresses: ["10.0.0.2/24"] });
const file = recordFile(record);
const later = { netns: "/run/netns/red", namespace: "4:1", recordedMs: 7 };
const parsed = (changes: object, from = file) => parseRecord(from, JSON.stringify({ ...record, ...changes }));

describe("a record in a file's text", () => {
  test("counts if it matches the file's name", () => {
    expect(parsed({})).toEqual(record);
    expect(parsed({}, metaRecordFile(record, "portmap-1"))).toEqual(record);
    expect(parsed({}, `${file}1`)).toBeUndefined();
    expect(parsed({}, recordFile({ ...record, ifName: "eth" }))).toBeUndefined();
  });

  test.each(["network", "containerId", "runtimeIfName", "ifName"])("does not count with another %s", (key) => {
    expect(parsed({ [key]: "other" })).toBeUndefined();
  });

  test.each([
    ...["network", "containerId", "runtimeIfName", "ifName", "bootId", "namespace", "netns", "delegate"],
    ...["delegateNetwork", "addresses"],
  ])("does not count without %s, or if that has another type", (key) => {
    expect(parsed({ [key]: undefined })).toBeUndefined();
    expect(parsed({ [key]: 7 })).toBeUndefined();
  });

  test.each(["network", "containerId", "runtimeIfName", "ifName"])(
    "does not count if %s is a number, even that of the file's name",
    (key) => {
      expect(parsed({ [key]: 7 }, recordFile({ ...record, [key]: "7" }))).toBeUndefined();
    },
  );

  test.each([
    { before: "7" },
    { made: "7" },
    { made: null },
    { addresses: [7] },
    { addresses: ["10.0.0.2/24", 7] },
    { added: {} },
    { added: [7] },
    { added: [null] },
    { configuration: 7 },
    { configuration: null },
    { added: [{ name: "tap0" }] },
    { added: [{ name: 7, sandbox: "/run/netns/blue" }] },
    { later: null },
    { later: { ...later, netns: 7 } },
    { later: { ...later, namespace: 7 } },
    { later: { ...later, recordedMs: "7" } },
  ])("does not count with %j", (changes) => {
    expect(parsed(changes)).toBeUndefined();
  });

  test("may name the interfaces that a meta plugin added", () => {
    const added = [{ name: "tap0", sandbox: "/run/netns/blue" }];
    expect(parsed({ added })).toMatchObject({ added });
  });

  test("may name a later ADD", () => {
    expect(parsed({ later })).toMatchObject({ later });
  });

  test("may lack unknown indexes", () => {
    expect(parsed({ before: undefined, made: undefined })).toMatchObject({ ifName: "eth0" });
    expect(parsed({ before: undefined, made: 3 })).toMatchObject({ made: 3 });
  });

  test.each([undefined, "", "{", "[]", "null"])("is missing in %j", (text) => {
    expect(parseRecord(file, text)).toBeUndefined();
  });
});

test("a meta plugin's instance is its type and a checksum (FNV-1a, 32 bits) of its configuration", () => {
  const request = requestOf("ADD", { mtu: 1400, runtimeConfig: { mac: "m" }, prevResult: {} });
  const profiles = { tuning: { role: "meta" } } as const;
  expect(instanceOf(request, targetOf(request, "tuning-wrapper", profiles))).toBe("tuning-a3589d3c");
});
