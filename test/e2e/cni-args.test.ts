import { Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import { attached, expectSuccess } from "./calls.ts";
import { bridge, macvlan, older, twoInterfaces, wrapped, zone } from "./support.ts";

const workload = { IgnoreUnknown: "true", K8S_POD_NAMESPACE: "default", K8S_POD_NAME: "web-0", NOMAD_JOB_ID: "web" };

const requested = { IP: "172.16.5.77", MAC: "02:00:00:00:00:77" };

describe("of CNI_ARGS,", () => {
  test("IP and MAC reach the runtime's interface and not the renamed one", async ({ lab, container }) => {
    const labels = { ...workload, ...requested };
    const list = twoInterfaces();
    expectSuccess(await lab.runtime.add(list, container, { labels }));
    expect(await lab.kernel.addresses(container, "eth0")).toEqual(["172.16.5.77/24"]);
    expect((await lab.kernel.link(container, "eth0")).address).toBe("02:00:00:00:00:77");
    expect(await lab.kernel.addresses(container, "eth1")).toEqual(["172.26.64.2/20"]);
    expect((await lab.kernel.link(container, "eth1")).address).not.toBe("02:00:00:00:00:77");
    expectSuccess(await lab.runtime.check(list, container, { labels }));
    expectSuccess(await lab.runtime.del(list, container, { labels }));
    expect(await lab.kernel.leases()).toEqual([]);
  });

  test("everything reaches a renamed interface that keeps them", async () => {
    await using lab = await Lab.start(older);
    const container = await lab.addContainer("c1");
    const keeping = { ...wrapped(bridge), wrapper: { ifName: "eth1", args: "keep" } };
    const labels = { ...workload, MAC: "02:00:00:00:00:77" };
    expectSuccess(await lab.runtime.add(zone(wrapped(macvlan), keeping), container, { labels }));
    expect((await lab.kernel.link(container, "eth0")).address).toBe("02:00:00:00:00:77");
    expect((await lab.kernel.link(container, "eth1")).address).toBe("02:00:00:00:00:77");
  });

  test("a key that is mapped gives the renamed interface an address and a MAC of its own", async ({
    lab,
    container,
  }) => {
    const labels = { ...workload, ...requested, ETH1_IP: "172.26.64.77", ETH1_MAC: "02:00:00:00:00:78" };
    const mapped = { ifName: "eth1", args: { IP: "ETH1_IP", MAC: "ETH1_MAC" } };
    const list = zone(wrapped(macvlan), { ...wrapped(bridge), wrapper: mapped });
    expectSuccess(await lab.runtime.add(list, container, { labels }));
    expect(await lab.kernel.addresses(container, "eth0")).toEqual(["172.16.5.77/24"]);
    expect(await lab.kernel.addresses(container, "eth1")).toEqual(["172.26.64.77/20"]);
    expect((await lab.kernel.link(container, "eth0")).address).toBe("02:00:00:00:00:77");
    expect((await lab.kernel.link(container, "eth1")).address).toBe("02:00:00:00:00:78");
    expect((await lab.kernel.leases()).toSorted()).toEqual(["zone-eth1/172.26.64.77", "zone/172.16.5.77"]);
    expectSuccess(await lab.runtime.check(list, container, { labels }));
    expectSuccess(await lab.runtime.del(list, container, { labels }));
    expect(await lab.kernel.leases()).toEqual([]);

    // Without the keys it gets the next address of its range, and not the one that eth0 asks for.
    const other = await attached(lab, lab.runtime, list, "c2", { labels: { ...workload, ...requested } });
    expect(await lab.kernel.addresses(other, "eth1")).toEqual(["172.26.64.78/20"]);
  });
});
