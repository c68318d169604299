import { describe, expect, test, vi } from "vitest";
import { expectFailure, expectNothingLeft } from "../e2e/calls.ts";
import { hostLocal, wrapped, zone } from "../e2e/support.ts";
import type { Lab } from "../support/lab.ts";
import { expectExit0, isGiven, isOnPath, lan, withPlugin } from "./other-plugin.ts";

// calico writes its log to stderr, too.
describe.skipIf(!isGiven("calico") || !isOnPath("etcd"))("calico, with its datastore in etcd and without Felix", () => {
  const settings = {
    ...{ datastore_type: "etcdv3", etcd_endpoints: "http://127.0.0.1:2379", nodename: "node1" },
    ...{ nodename_file_optional: true, log_level: "error", log_file_path: "/run/lab/calico.log" },
  };
  const calico = { type: "calico", ...settings, ipam: hostLocal("172.30.0.0/24") };
  const wrappedCalico = { ...calico, type: "calico-wrapper", wrapper: { role: "creator" } };

  const endpoints = "resources/v3/projectcalico.org/workloadendpoints/";

  test("first in the list with host-local, wrapped: both interfaces, CHECK sees the other one's lost address, and DEL leaves nothing", async () => {
    await using lab = await withCalico();
    const list = zone(wrappedCalico, wrapped(lan, "eth1"));
    const container = await lab.addContainer("c1");
    expectExit0(await lab.goCni.add(list, container));
    expect(await lab.kernel.allAddresses(container)).toEqual({ eth0: ["172.30.0.2/32"], eth1: ["172.16.5.2/24"] });
    expect(await lab.kernel.routes(container)).toEqual([
      "default via 169.254.1.1 dev eth0",
      "169.254.1.1 dev eth0 scope link",
    ]);
    expect(await keys(lab, endpoints)).toHaveLength(1);
    expectExit0(await lab.goCni.check(list, container));
    await lab.ip(container, "address", "delete", "172.16.5.2/24", "dev", "eth1");
    expectFailure(await lab.goCni.check(list, container), /Failed to match addr 172\.16\.5\.2\/24 on interface eth1/);
    expectExit0(await lab.goCni.del(list, container));
    expect(await keys(lab, endpoints)).toEqual([]);
    expect(await lab.kernel.linkNames(container)).toEqual(["lo"]);
    await expectNothingLeft(lab);
  });

  test("with calico-ipam: both interfaces, macvlan's CHECK misses a route that calico reports and never made, and DEL leaves nothing", async () => {
    await using lab = await withCalico();
    const list = zone({ ...wrappedCalico, ipam: { type: "calico-ipam" } }, wrapped(lan, "eth1"));
    const container = await lab.addContainer("c1");
    expectExit0(await lab.goCni.add(list, container));
    expect(await lab.kernel.allAddresses(container)).toEqual({
      eth0: [expect.stringMatching(/^10\.65\.0\.\d+\/32$/)],
      eth1: ["172.16.5.2/24"],
    });
    expectFailure(
      await lab.goCni.check(list, container),
      /Expected Route {Dst:{IP:10\.65\.0\.\d+ Mask:ffffffc0} .* not found/,
    );
    expectExit0(await lab.goCni.del(list, container));
    expect([...(await keys(lab, endpoints)), ...(await keys(lab, "ipam/v2/handle/"))]).toEqual([]);
    await expectNothingLeft(lab);
  });

  test("plain before a plain macvlan: no ADD passes", async () => {
    await using lab = await withCalico();
    const outcome = await lab.goCni.add(zone(calico, lan), await lab.addContainer("c1"));
    expectFailure(outcome, /failed to rename macvlan to "eth0": file exists/);
  });
});

async function withCalico(): Promise<Lab> {
  const lab = await withPlugin("calico");
  await lab.run("ln", ["-s", "/run/lab/programs/calico", "/opt/cni/bin/calico-ipam"]);
  void lab.start("etcd", ["--data-dir", "/run/lab/etcd", "--logger", "zap"], "/run/lab/etcd.log");
  await vi.waitFor(() => keys(lab, ""), { timeout: 20_000, interval: 100 });
  await put(lab, "clusterinformations/default", "ClusterInformation", { datastoreReady: true });
  await put(lab, "nodes/node1", "Node", {});
  const modes = { ipipMode: "Never", vxlanMode: "Never", assignmentMode: "Automatic", allowedUses: ["Workload"] };
  await put(lab, "ippools/pool1", "IPPool", { cidr: "10.65.0.0/24", blockSize: 26, nodeSelector: "all()", ...modes });
  return lab;
}

async function put(lab: Lab, place: string, kind: string, spec: object): Promise<void> {
  const metadata = { name: place.replace(/.*\//, ""), creationTimestamp: "2026-01-01T00:00:00Z" };
  const value = JSON.stringify({ apiVersion: "projectcalico.org/v3", kind, metadata, spec });
  await etcd(lab, "put", { key: `/calico/resources/v3/projectcalico.org/${place}`, value });
}

async function keys(lab: Lab, prefix: string): Promise<string[]> {
  const key = `/calico/${prefix}`;
  const { kvs = [] } = JSON.parse(await etcd(lab, "range", { key, range_end: `${key}\u{7f}` }));
  return kvs.map((found: { key: string }) => Buffer.from(found.key, "base64").toString());
}

function etcd(lab: Lab, verb: string, texts: Record<string, string>): Promise<string> {
  const encoded = Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString("base64")]);
  const request = JSON.stringify(Object.fromEntries(encoded));
  return lab.run("curl", ["-fsS", `http://127.0.0.1:2379/v3/kv/${verb}`, "-d", request]);
}
