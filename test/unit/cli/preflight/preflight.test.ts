import { describe, expect, test } from "vitest";
import type { MemoryFile } from "../../../../cli/host/memory.ts";
import { parseListFile } from "../../../../cli/lists/list-file.ts";
import { atOnce } from "../../../../cli/live/at-once.ts";
import type { Verdict } from "../../../../cli/live/check.ts";
import { straysAmong } from "../../../../cli/live/every-attachment.ts";
import { networksIn } from "../../../../cli/live/networks.ts";
import { workloadOf } from "../../../../cli/live/workload.ts";
import { changedKeys, type Forecast, forecastsOn, unsavedAmong } from "../../../../cli/preflight/forecasts.ts";
import { cachedAttachment } from "../../support/cached-results.ts";

describe("changedKeys", () => {
  const list = (plugin: object) => ({ name: "zone", plugins: [{ type: "macvlan" }, { type: "bridge", ...plugin }] });

  test.each([
    ["the same", {}, {}, []],
    ["a value", { mtu: 1 }, { mtu: 2 }, ["plugins[1].mtu"]],
    ["a new key", {}, { wrapper: { ifName: "eth1" } }, ["plugins[1].wrapper"]],
    ["a nested key", { ipam: { type: "a", x: 1 } }, { ipam: { type: "a" } }, ["plugins[1].ipam.x"]],
    ["a list of texts", { dns: ["a"] }, { dns: ["b"] }, ["plugins[1].dns"]],
    ["an object beside a text", { dns: ["a", { x: 1 }] }, { dns: ["a", { x: 2 }] }, ["plugins[1].dns[1].x"]],
  ])("%s", (_, before, after, keys) => {
    expect(changedKeys(list(before), list(after))).toEqual(keys);
  });

  test("a plugin more", () => {
    const [a, b] = [{ type: "a" }, { type: "b" }];
    expect(changedKeys({ plugins: [a] }, { plugins: [a, b] })).toEqual(["plugins[1]"]);
  });
});

const attachment = cachedAttachment({ netns: "/var/run/netns/c1" });

test("a plugin in a .conf is compared as libcni keeps it: in a list of its own, and nothing with a list that is not known", async () => {
  const plugin = { cniVersion: "1.0.0", name: "zone", type: "macvlan", mtu: 1400 };
  const list = { cniVersion: "1.0.0", name: "zone", plugins: [plugin] };
  const files = [parseListFile("zone.conf", JSON.stringify({ ...plugin, mtu: 1500 }))];
  const options = { networks: networksIn(files), isAdoptable: async () => false, names: Promise.resolve(workloadOf) };
  const [without, unlisted] = [attachment, { ...attachment, network: "shop", list }];
  const checked = [{ ...attachment, list }, without, unlisted].map((one) => ({
    attachment: one,
    verdict: { is: "gone" } as const,
  }));
  const forecasts = await forecastsOn(checked, options, { progress: undefined });
  expect(forecasts.map(({ changed }) => changed)).toEqual([["plugins[0].mtu"], [], []]);
});

test("straysAmong names the namespaces, journals and old records that no attachment needs", () => {
  const namespaces = ["/run/netns/c1", "/run/netns/c2"];
  const memoryOf = (network: string, containerId: string, name: string): MemoryFile => ({
    ...{ file: `/var/lib/cni/wrappers/${name}`, text: "", network, containerId },
    ...{ runtimeIfName: "eth0", journal: undefined },
  });
  const own = [memoryOf("zone", "c1", "c1/zone:eth0"), memoryOf("zone", "c1", "zone:c1:eth0::routes")];
  const strays = [memoryOf("other", "c1", "c1/other:eth0"), memoryOf("zone", "c2", "zone:c2:eth0:eth0")];
  expect(straysAmong([attachment], namespaces, [...own, ...strays])).toEqual({
    namespaces: ["/run/netns/c2"],
    memories: strays,
  });
});

describe("unsavedAmong", () => {
  const now = 1_000_000;
  const forecast = (age: number, is: Verdict["is"], runtime: "Nomad" | "podman", containerId = "c1") => {
    const attachment = { file: String(now - age), containerId };
    return { attachment, workload: { runtime, name: "" }, verdict: { is } } as unknown as Forecast;
  };

  test.each<[string, Forecast[], string[]]>([
    ["young", [forecast(59_999, "passes", "Nomad")], ["c1"]],
    ["young, and its CHECK fails", [forecast(0, "fails", "Nomad")], ["c1"]],
    ["a minute old", [forecast(60_000, "passes", "Nomad")], []],
    ["without a namespace", [forecast(0, "gone", "Nomad")], []],
    ["podman's", [forecast(0, "passes", "podman")], []],
    ["attached twice", [forecast(0, "passes", "Nomad"), forecast(1, "passes", "Nomad")], ["c1"]],
  ])("a container that is %s", (_, forecasts, unsaved) => {
    expect(unsavedAmong(forecasts, { now, modifiedMs: Number })).toEqual(unsaved);
  });

  test("a result that is gone counts as old", () => {
    expect(unsavedAmong([forecast(0, "passes", "Nomad")], { now, modifiedMs: () => undefined })).toEqual([]);
  });
});

test("atOnce keeps the order, and runs no more than the limit", async () => {
  let [running, most] = [0, 0];
  const reported: number[] = [];
  const results = await atOnce(
    [30, 10, 20, 0],
    2,
    async (delay) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, delay));
      running--;
      return delay * 2;
    },
    (done) => reported.push(done),
  );
  expect(results).toEqual([60, 20, 40, 0]);
  expect(most).toBe(2);
  expect(reported).toEqual([1, 2, 3, 4]);
});
