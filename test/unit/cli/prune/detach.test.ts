import { expect, test } from "vitest";
import type { PluginOutcome, PluginRun } from "../../../../cli/live/run-plugin.ts";
import { detach } from "../../../../cli/prune/detach.ts";
import { configOf } from "../../support/cached-results.ts";
import { knownOf } from "./support.ts";

const config = configOf([{ type: "bridge-wrapper" }, { type: "acme" }, { type: "portmap" }]);
const known = knownOf("c1", "10.1.0.2", [], { config, cniArgs: [["A", "b"]] });

async function runsOf(
  answer: (type: string) => PluginOutcome,
  { of = known, inUse = "", last = 3, cniPath = ["/opt/cni/bin"] } = {},
) {
  const runs: PluginRun[] = [];
  const failed = await detach(of, {
    cniPath,
    isInUse: (address) => address === inUse,
    isGone: () => runs.length < last,
    ask: async (run) => {
      runs.push(run);
      return answer(run.type);
    },
  });
  return { runs, failed };
}

test("DEL runs over the list of the result, the last plugin first, without a namespace", async () => {
  const { runs, failed } = await runsOf(() => ({ passed: true }));
  expect(failed).toEqual([]);
  expect(runs.map(({ type }) => type)).toEqual(["portmap", "acme", "bridge-wrapper"]);
  for (const { environment, stdin } of runs) {
    expect(environment).toEqual({
      CNI_COMMAND: "DEL",
      CNI_CONTAINERID: "c1",
      CNI_NETNS: "",
      CNI_IFNAME: "eth0",
      CNI_ARGS: "A=b",
      CNI_PATH: "/opt/cni/bin",
    });
    expect(stdin).toMatchObject({ name: "zone", prevResult: { ips: [{ address: "10.1.0.2/24" }] } });
  }
});

test("no plugin runs after the container came back", async () => {
  const { runs } = await runsOf(() => ({ passed: true }), { last: 1 });
  expect(runs.map(({ type }) => type)).toEqual(["portmap"]);
});

test("an address that another container has now is not in prevResult", async () => {
  const { runs } = await runsOf(() => ({ passed: true }), { inUse: "10.1.0.2" });
  for (const { stdin } of runs) expect(stdin).toMatchObject({ prevResult: { ips: [] } });
});

test("a result without addresses stays as it is; loopback is known, a plugin without a type is not", async () => {
  const bare = knownOf("c1", "10.1.0.2", [], {
    config: configOf([{ type: "loopback" }, {}], { cniVersion: "0.4.0" }),
    result: { cniVersion: "0.4.0", dns: { nameservers: ["10.1.0.1"] } },
  });
  const fail = (type: string) => ({ passed: false, error: type }) as const;
  const { runs, failed } = await runsOf(fail, { of: bare, cniPath: ["/opt/cni/bin", "/usr/lib/cni"] });
  expect(failed.map(({ plugin, isKnown }) => [plugin, isKnown])).toEqual([
    ["", false],
    ["loopback", true],
  ]);
  expect(runs[0]?.environment.CNI_PATH).toBe("/opt/cni/bin:/usr/lib/cni");
  expect(runs[0]?.stdin).toMatchObject({ prevResult: { dns: { nameservers: ["10.1.0.1"] } } });
  const of = knownOf("c1", "10.1.0.2", [], { config, result: undefined });
  const without = (await runsOf(() => ({ passed: true }), { of })).runs;
  expect(without).toHaveLength(3);
  for (const { stdin } of without) expect(stdin).not.toHaveProperty("prevResult");
  const unread = knownOf("c1", "10.1.0.2", [], { config: "no" });
  expect(await runsOf(fail, { of: unread })).toEqual({ runs: [], failed: [] });
});

test("DEL gets the result in the version of the list, as libcni converts it", async () => {
  const of = knownOf("c1", "10.1.0.2", [], { config: configOf([{ type: "bridge" }], { cniVersion: "0.4.0" }) });
  const [run] = (await runsOf(() => ({ passed: true }), { of })).runs;
  const prevResult = { cniVersion: "0.4.0", ips: [{ version: "4", address: "10.1.0.2/24" }] };
  expect(run?.stdin).toMatchObject({ prevResult });
});
