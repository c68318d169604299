import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseCachedResult, readCachedResults } from "../../../../cli/live/cached-results.ts";

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
      file: "/f",
      text,
      network: "zone",
      containerId: "c1",
      runtimeIfName: "eth0",
      netns: "/run/netns/x",
      list: { name: "zone" },
      args: [["K", "v"]],
      capabilityArgs: {},
      result: cached.result,
    });
  });

  test.each([{}, { netns: "" }])("without a namespace, as of an older libcni, the result names it: %j", (netns) => {
    expect(parseCachedResult("/f", JSON.stringify({ ...cached, ...netns }))).toMatchObject({ netns: "/run/netns/c1" });
  });

  test.each([
    ["no JSON", "{", "it is not a JSON object"],
    ["another kind", '{"kind":"x"}', 'its kind is not "cniCacheV1"'],
    ["no names", '{"kind":"cniCacheV1"}', "it names no network, container or interface"],
  ])("%s: says why", (_, text, reason) => {
    expect(parseCachedResult("/f", text)).toEqual({ file: "/f", reason });
  });
});

describe("readCachedResults", () => {
  test("reads each file, and none without a cache", () => {
    const directory = mkdtempSync(path.join(tmpdir(), "cni-wrappers-cache-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    expect(readCachedResults(directory)).toEqual([]);
    mkdirSync(path.join(directory, "results"));
    writeFileSync(path.join(directory, "results/zone-c1-eth0"), JSON.stringify(cached));
    writeFileSync(path.join(directory, "results/broken"), "");
    expect(readCachedResults(directory)).toMatchObject([{ reason: "it is not a JSON object" }, { containerId: "c1" }]);
  });
});
