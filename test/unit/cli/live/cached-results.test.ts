import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  addressesAt,
  interfaceNames,
  namespacesInCache,
  parseCachedResult,
  readCachedResult,
  readCachedResults,
} from "../../../../cli/live/cached-results.ts";
import { withLostResult } from "../../../../cli/live/every-attachment.ts";
import type { Entry, Namespace } from "../../../../shared/journal/journal.ts";
import { temporary } from "../../../support/scratch.ts";
import { cachedAttachment } from "../../support/cached-results.ts";
import { entryOf } from "../../support/journals.ts";

const cached = {
  kind: "cniCacheV1",
  containerId: "c1",
  config: Buffer.from('{"name":"zone"}').toString("base64"),
  ifName: "eth0",
  networkName: "zone",
  cniArgs: [["K", "v"]],
  result: {
    interfaces: [
      { name: "disc0" },
      { name: "eth1", sandbox: "/run/netns/other" },
      { name: "eth0", sandbox: "/run/netns/c1" },
    ],
  },
};

describe("parseCachedResult", () => {
  test("reads what libcni wrote", () => {
    const text = JSON.stringify({ ...cached, netns: "/run/netns/x" });
    expect(parseCachedResult("/f", text)).toEqual({
      ...{ file: "/f", text, network: "zone", containerId: "c1", runtimeIfName: "eth0", netns: "/run/netns/x" },
      ...{ list: { name: "zone" }, args: [["K", "v"]], capabilityArgs: {}, result: cached.result },
    });
  });

  test("what Go's decoder takes is taken, though libcni did not write it so", () => {
    const odd = { config: null, cniArgs: [["K", "v"], ["K"], ["K", null], ["K", "v", 7]], capabilityArgs: null };
    const read = (changes: object) => parseCachedResult("/f", JSON.stringify({ ...cached, ...changes }));
    expect(read({ ...odd, netns: null, result: null })).toMatchObject({
      ...{ list: undefined, args: [["K", "v"]], capabilityArgs: {}, netns: "", result: undefined },
    });
    expect(read({ cniArgs: null })).toMatchObject({ args: [] });
    const capabilityArgs = { portMappings: [{ hostPort: 80 }] };
    expect(read({ capabilityArgs })).toMatchObject({ capabilityArgs });
    expect(read({ config: cached.config.replace(/^.{8}/, "$&\r\n") })).toMatchObject({ list: { name: "zone" } });
  });

  test.each([
    ["config", "!!"],
    ["config", 7],
    ["netns", 5],
    ["cniArgs", "K=v"],
    ["cniArgs", ["K=v"]],
    ["cniArgs", [["K", 7]]],
    ["capabilityArgs", "x"],
    ["capabilityArgs", []],
    ["result", "x"],
  ])("libcni finds no result beside a damaged key: %s %j", (key, value) => {
    const reason = `libcni cannot read its ${key}`;
    expect(parseCachedResult("/f", JSON.stringify({ ...cached, [key]: value }))).toEqual({ file: "/f", reason });
  });

  test.each([
    ["9.9.9", "libcni does not know the cniVersion of its result, 9.9.9"],
    ["", undefined],
    ["0.1.0", undefined],
    ["0.3.1", undefined],
    ["1.1.0", undefined],
  ])("a result of version %j", (cniVersion, reason) => {
    const text = JSON.stringify({ ...cached, result: { cniVersion } });
    expect((parseCachedResult("/f", text) as { reason?: string }).reason).toBe(reason);
  });

  test("a result without the runtime's interface: the first one's namespace is the container's", () => {
    const named = JSON.stringify({ ...cached, ifName: "eth7" });
    expect(parseCachedResult("/f", named)).toMatchObject({ netns: "/run/netns/other" });
  });

  test.each([{}, { netns: "" }])("without a namespace, as of an older libcni, the result names it: %j", (netns) => {
    expect(parseCachedResult("/f", JSON.stringify({ ...cached, ...netns }))).toMatchObject({ netns: "/run/netns/c1" });
  });

  test.each([
    ["no JSON", "{", "it is not a JSON object"],
    ["another kind", '{"kind":"x"}', 'its kind is not "cniCacheV1"'],
    ["no names", '{"kind":"cniCacheV1"}', "it names no network, container or interface"],
    ["a result of another kind", JSON.stringify({ ...cached, result: { ips: 7 } }), "its result is not that of an ADD"],
  ])("%s: says why", (_, text, reason) => {
    expect(parseCachedResult("/f", text)).toEqual({ file: "/f", reason });
  });
});

describe("readCachedResults", () => {
  test("reads each file, and none without a cache", () => {
    const directory = temporary();
    expect(readCachedResults(directory)).toEqual([]);
    mkdirSync(path.join(directory, "results"));
    writeFileSync(path.join(directory, "results/zone-c1-eth0"), JSON.stringify(cached));
    writeFileSync(path.join(directory, "results/broken"), "");
    expect(readCachedResults(directory)).toMatchObject([{ reason: "it is not a JSON object" }, { containerId: "c1" }]);
    for (const [containerId, more] of [
      ["c2", { netns: "/run/netns/c2" }],
      ["c3", { netns: "relative" }],
      ["c4", {}],
    ] as const)
      writeFileSync(
        path.join(directory, `results/zone-${containerId}-eth0`),
        JSON.stringify({ ...cached, containerId, ...more }),
      );
    expect(namespacesInCache(directory)).toEqual(["/run/netns/c1", "/run/netns/c2"]);
  });

  test("a copy of a result is none: libcni reads only the file that it named", () => {
    const directory = temporary();
    const file = path.join(directory, "zone-c1-eth0.bak");
    writeFileSync(file, JSON.stringify(cached));
    expect(readCachedResult(file)).toEqual({ file, reason: "libcni does not read it: it looks for zone-c1-eth0" });
  });

  test("a file that is gone meanwhile is nothing, and one that cannot be read says why", () => {
    const directory = temporary();
    expect(readCachedResult(path.join(directory, "zone-c1-eth0"))).toBeUndefined();
    expect(readCachedResult(directory)).toEqual({ file: directory, reason: "is a directory" });
  });
});

test("an interface's addresses are those of the container's one of its name", () => {
  const sandbox = "/run/netns/c1";
  const interfaces = [{ name: "eth0" }, { name: "eth1", sandbox }, { name: "eth0", sandbox }, { name: "x", sandbox }];
  const ips = [0, 1, 2, 2, undefined].map((own, index) => ({
    address: `10.1.0.${index}/24`,
    ...(own !== undefined && { interface: own }),
  }));
  const result = { interfaces, ips };
  expect(interfaceNames({ result })).toEqual(["eth1", "eth0", "x"]);
  const found = ["eth0", "eth1", "x", "eth7"].map((ifName) => addressesAt({ result }, ifName));
  expect(found).toEqual([["10.1.0.2/24", "10.1.0.3/24"], ["10.1.0.1/24"], [], []]);
  expect([interfaceNames({ result: undefined }), addressesAt({ result: undefined }, "eth0")]).toEqual([[], []]);
});

const there: Namespace = { path: "/run/netns/c1", device: 4, inode: 1, changedMs: 5 };
const first = entryOf({ containerId: "c1", type: "macvlan", namespace: there });
const second = entryOf({ containerId: "c1", ifName: "eth1", namespace: there });

const found = (...entries: Entry[]) => withLostResult(entries, (path) => (path === there.path ? there : undefined));

test("the entries of one attachment are one attachment, without a result", () => {
  expect(found(first, second)).toEqual([cachedAttachment({ file: "/var/lib/cni/results/zone-c1-eth0" })]);
});

test.each([
  ["its namespace is gone", { ...first, namespace: { ...there, path: "/run/netns/c2" } }],
  ["another namespace has its path", { ...first, namespace: { ...there, inode: 2 } }],
  ["another namespace has its inode again", { ...first, namespace: { ...there, changedMs: 6 } }],
  ["its ADD did not pass", { ...first, done: undefined }],
  ["it is given up", { ...first, isGivenUp: true }],
])("an entry is no attachment if %s", (_, one) => {
  expect(found(one)).toEqual([]);
});
