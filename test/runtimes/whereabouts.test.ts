import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { expectFailure, expectNothingLeft } from "../e2e/calls.ts";
import { wrapped, zone } from "../e2e/support.ts";
import type { Lab } from "../support/lab.ts";
import { expectExit0, front, isGiven, lan, withPlugin } from "./other-plugin.ts";

// whereabouts writes its log to stderr.
describe.skipIf(!isGiven("whereabouts"))(
  "whereabouts, with a stand-in for its Kubernetes API",
  { timeout: 60_000 },
  () => {
    const labels = { K8S_POD_NAME: "p1", K8S_POD_NAMESPACE: "default", IgnoreUnknown: "true" };
    const whereabouts = (range: string) => ({
      ...{ type: "whereabouts", range, configuration_path: "/run/lab/whereabouts.conf" },
    });
    const makeList = (first: string, second: string) => {
      const bridge = { ...front, ipam: whereabouts(first) };
      return zone(wrapped(bridge), wrapped({ ...lan, ipam: whereabouts(second) }, "eth1"));
    };
    const wrappedAndPlain = (plain: string) => [
      makeList("172.30.0.0/24", "172.16.5.0/24"),
      zone({ ...lan, ipam: whereabouts(plain) }),
    ];

    test.each([
      ["two ranges", "172.30.0.0/24", "172.16.5.0/24", { eth0: ["172.30.0.1/24"], eth1: ["172.16.5.1/24"] }],
      ["one range for both", "172.16.5.0/24", "172.16.5.0/24", { eth0: ["172.16.5.1/24"], eth1: ["172.16.5.2/24"] }],
    ])("%s: both wrapped interfaces get an address, and DEL frees both", async (_, first, second, addresses) => {
      await using lab = await withWhereabouts();
      const list = makeList(first, second);
      const container = await lab.addContainer("c1");
      expectExit0(await lab.cnitool.add(list, container, { labels }));
      expect(await lab.kernel.allAddresses(container)).toEqual(addresses);
      expect(await allocations(lab)).toEqual(["eth0", "eth1"]);
      expectExit0(await lab.cnitool.del(list, container, { labels }));
      expect(await allocations(lab)).toEqual([]);
      await expectNothingLeft(lab, ["front0"]);
    });

    test("fails every CHECK, wrapped and plain: it has none", async () => {
      await using lab = await withWhereabouts();
      const container = await lab.addContainer("c1");
      for (const list of wrappedAndPlain("172.16.5.0/24")) {
        expectExit0(await lab.cnitool.add(list, container, { labels }));
        expectFailure(await lab.cnitool.check(list, container, { labels }), /CNI CHECK method is not implemented/);
        expectExit0(await lab.cnitool.del(list, container, { labels }));
      }
      expect(await allocations(lab)).toEqual([]);
    });

    test("leaves its addresses if DEL gets no name of a pod, as from Nomad, wrapped and plain", async () => {
      await using lab = await withWhereabouts();
      const container = await lab.addContainer("c1");
      for (const list of wrappedAndPlain("172.16.6.0/24")) {
        expectExit0(await lab.goCni.add(list, container, { labels }));
        expectExit0(await lab.goCni.del(list, container));
      }
      expect(await allocations(lab)).toEqual(["eth0", "eth1", "eth0"]);
    });

    const api = "http://127.0.0.1:8001/apis/whereabouts.cni.cncf.io/v1alpha1/namespaces/kube-system/ippools";

    async function withWhereabouts(): Promise<Lab> {
      const lab = await withPlugin("whereabouts");
      const named = (name: string, more: object) => [{ name, ...more }];
      const kubeconfig = {
        ...{ apiVersion: "v1", kind: "Config", "current-context": "lab" },
        clusters: named("lab", { cluster: { server: "http://127.0.0.1:8001" } }),
        contexts: named("lab", { context: { cluster: "lab", user: "lab" } }),
        users: named("lab", { user: {} }),
      };
      await lab.writeFile("/run/lab/kubeconfig", JSON.stringify(kubeconfig));
      const own = { kubernetes: { kubeconfig: "/run/lab/kubeconfig" } };
      await lab.writeFile("/run/lab/whereabouts.conf", JSON.stringify(own));
      const server = path.join(import.meta.dirname, "kubernetes-api.ts");
      void lab.start(process.execPath, [server, "8001"], "/run/lab/api.log");
      await vi.waitFor(() => allocations(lab), { timeout: 20_000, interval: 100 });
      return lab;
    }

    /** The interfaces to which whereabouts gave an address. */
    async function allocations(lab: Lab): Promise<string[]> {
      const { items } = JSON.parse(await lab.run("curl", ["-fsS", api]));
      type Pool = Record<string, { ifname: string }>;
      const pools = items.map(({ spec }: { spec: { allocations?: Pool } }) => spec.allocations);
      return pools.flatMap((pool: Pool = {}) => Object.values(pool).map(({ ifname }) => ifname));
    }
  },
);
