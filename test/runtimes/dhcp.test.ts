import { readFileSync } from "node:fs";
import path from "node:path";
import { vi } from "vitest";
import { attached, expectFailure, expectSuccess } from "../e2e/calls.ts";
import { wrapped } from "../e2e/support.ts";
import type { Container, Lab } from "../support/lab.ts";
import { test as base, describe, expect } from "../support/lab-test.ts";
import type { NetworkList } from "../support/runtime.ts";
import { DhcpNetwork, type Lease } from "./dhcp-network.ts";

const example = path.resolve(import.meta.dirname, "../../conf-examples/macvlan-bridge-dhcp.conflist");
const list: NetworkList = JSON.parse(readFileSync(example, "utf8"));

const macvlan = { type: "macvlan", master: "ens18", ipam: { type: "dhcp" } };
const bare: NetworkList = { ...list, plugins: [macvlan] };
const twice: NetworkList = { ...list, plugins: [wrapped(macvlan), wrapped(macvlan, "eth1")] };

/** A test in whose lab a DHCP server leases addresses. */
const test = base.extend<{ network: DhcpNetwork }>({
  network: async ({ lab }, use) => use(await DhcpNetwork.start(lab)),
});

const noDaemon = "error dialing DHCP daemon: dial unix /run/cni/dhcp.sock: connect: connection refused";

describe("macvlan-bridge-dhcp.conflist", () => {
  test("gives eth0 the address that the server leased, and CHECK does not touch the lease", async ({
    lab,
    network,
  }) => {
    const container = await attached(lab, lab.goCni, list);
    const { "c1/office/eth0": lease, ...others } = await network.leases();
    expect(others).toEqual({});
    expect(lease?.address).toMatch(/^172\.16\.5\.1[0-5]\d$/);
    expect(await lab.kernel.addresses(container, "eth0")).toEqual([`${lease?.address}/24`]);
    expect((await lab.kernel.link(container, "eth0")).address).toBe(lease?.mac);
    expect(await lab.kernel.addresses(container, "eth1")).toEqual(["172.26.64.2/20"]);
    expect(await lab.kernel.routes(container)).toEqual(["default via 172.16.5.1 dev eth0"]);

    const said = await network.serverLog();
    expectSuccess(await lab.goCni.check(list, container));
    expect(await network.daemonLog()).toContain("c1/office/eth0: Checking lease");
    expect(await network.leases()).toEqual({ "c1/office/eth0": lease });
    expect(await network.serverLog()).toBe(said);
  });

  test("gives every container its own lease, and leaves nothing after DEL", async ({ lab, network }) => {
    const containers = [await attached(lab, lab.goCni, list, "c1"), await attached(lab, lab.goCni, list, "c2")];
    const leases = Object.values(await network.leases());
    expect(leases.map(({ clientId }) => clientId).sort()).toEqual(["c1/office/eth0", "c2/office/eth0"]);
    expect(new Set(leases.map(({ address }) => address)).size).toBe(2);
    for (const container of containers) expectSuccess(await lab.goCni.check(list, container));
    for (const container of containers) expectSuccess(await lab.goCni.del(list, container));
    for (const container of containers) await expectDetached(lab, container);
  });

  test.for(["eth0", "eth1"])("fails CHECK when the address of %s is gone", async (ifName, { lab, network: _ }) => {
    const container = await attached(lab, lab.goCni, list);
    const [address = ""] = await lab.kernel.addresses(container, ifName);
    await lab.ip(container, "address", "delete", address, "dev", ifName);
    const message = `Failed to match addr ${address} on interface ${ifName}`;
    expectFailure(await lab.goCni.check(list, container), new RegExp(`${RegExp.escape(message)}\n?$`));
  });

  test("fails CHECK while the daemon is gone; the next daemon takes over the lease on CHECK", async ({
    lab,
    network,
  }) => {
    const container = await attached(lab, lab.goCni, list);
    const before = await network.leases();
    await network.killDaemon();
    expectFailure(await lab.goCni.check(list, container), new RegExp(`^${RegExp.escape(noDaemon)}\n?$`));
    await network.startDaemon();
    // The reference plugin's CHECK asks for the address as ADD does.
    expectSuccess(await lab.goCni.check(list, container));
    expect((await network.daemonLog()).match(/c1\/office\/eth0: lease acquired/g)).toHaveLength(2);
    expect(addressesOf(await network.leases())).toEqual(addressesOf(before));
  });

  test.for([
    { title: "wrapped", given: list },
    { title: "plain", given: bare },
  ])(
    "passes CHECK when the lease is renewed to another address, and the interface keeps the old one: $title",
    async ({ given }, { lab, network }) => {
      const container = await attached(lab, lab.goCni, given);
      const before = await lab.kernel.addresses(container, "eth0");
      await network.killServer();
      await network.startServer("172.16.5.200,172.16.5.250");
      await network.killDaemon();
      await network.startDaemon();
      expectSuccess(await lab.goCni.check(given, container));
      const [renewed] = addressesOf(await network.leases());
      expect(renewed).toMatch(/^172\.16\.5\.2\d\d$/);
      expect(await lab.kernel.addresses(container, "eth0")).toEqual(before);
      expect(before[0]).toMatch(/^172\.16\.5\.1\d\d\/24$/);
      expectSuccess(await lab.goCni.del(given, container));
    },
  );

  test("fails DEL without the daemon; the next DEL with the daemon leaves nothing", async ({ lab, network }) => {
    const container = await attached(lab, lab.goCni, list);
    await network.killDaemon();
    expectFailure(await lab.goCni.del(list, container), new RegExp(`${RegExp.escape(noDaemon)}\n?$`));
    expect(await lab.kernel.linkNames(container)).toContain("eth0");
    await network.startDaemon();
    expectSuccess(await lab.goCni.del(list, container));
    await expectDetached(lab, container);
  });
});

describe("two interfaces by DHCP", () => {
  test("have separate client ids and leases, pass CHECK, and leave nothing after DEL", async ({ lab, network }) => {
    const container = await attached(lab, lab.goCni, twice);
    const leases = await network.leases();
    expect(Object.keys(leases).sort()).toEqual(["c1/office-eth1/eth1", "c1/office/eth0"]);
    const [first, second] = [leases["c1/office/eth0"]?.address, leases["c1/office-eth1/eth1"]?.address];
    expect(first).not.toBe(second);
    expect(await lab.kernel.addresses(container, "eth0")).toEqual([`${first}/24`]);
    expect(await lab.kernel.addresses(container, "eth1")).toEqual([`${second}/24`]);
    expectSuccess(await lab.goCni.check(twice, container));
    expect(await network.leases()).toEqual(leases);
    expectSuccess(await lab.goCni.del(twice, container));
    await expectDetached(lab, container);
  });

  test("fail CHECK when the second one's address is gone", async ({ lab, network: _ }) => {
    const container = await attached(lab, lab.goCni, twice);
    await lab.ip(container, "address", "flush", "dev", "eth1", "scope", "global");
    expectFailure(
      await lab.goCni.check(twice, container),
      /^Failed to match addr 172\.16\.5\.1\d\d\/24 on interface eth1\n?$/,
    );
  });

  test("cannot be made by plain plugins", async ({ lab, network: _ }) => {
    const container = await lab.addContainer("c1");
    const plain = { ...twice, plugins: [macvlan, macvlan] };
    expectFailure(await lab.goCni.add(plain, container), /failed to rename macvlan to "eth0": file exists/);
  });
});

// Before 1.10.0 the daemon sent its DHCPRELEASE from 0.0.0.0, and Linux drops such a packet before dnsmasq's socket gets it.
describe.each([
  { title: "bare macvlan", released: bare },
  { title: "the wrapped chain", released: list },
])("DEL of $title", ({ released }) => {
  test("sends one DHCPRELEASE, which frees the lease at once, and the next ADD gets one", async ({ lab, network }) => {
    const container = await attached(lab, lab.goCni, released);
    expect(Object.keys(await network.leases())).toEqual(["c1/office/eth0"]);
    expectSuccess(await lab.goCni.del(released, container));
    expect(await network.daemonLog()).toContain("c1/office/eth0: releasing lease");
    await vi.waitFor(async () => expect(await network.leases()).toEqual({}), { timeout: 10_000 });
    expect((await network.serverLog()).match(/DHCPRELEASE/g)).toHaveLength(1);

    expectSuccess(await lab.goCni.add(released, container));
    expect(Object.keys(await network.leases())).toEqual(["c1/office/eth0"]);
  });
});

function addressesOf(leases: Readonly<Record<string, Lease>>): string[] {
  return Object.values(leases).map(({ address }) => address);
}

/** Expects that a container has no interface, and that nothing of it is left on the host. */
async function expectDetached(lab: Lab, container: Container): Promise<void> {
  expect(await lab.kernel.linkNames(container)).toEqual(["lo"]);
  expect((await lab.kernel.linkNames()).filter((name) => name !== "disc0")).toEqual(["lo", "uplink1", "ens18"]);
  expect(await lab.kernel.leases()).toEqual([]);
  expect(await lab.kernel.cachedResults()).toEqual([]);
  expect(await lab.kernel.journals()).toEqual([]);
}
