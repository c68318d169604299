import { setTimeout } from "node:timers/promises";
import type { Result } from "../support/kernel.ts";
import { type Container, Lab, type Outcome } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import { leftOfContainers } from "../support/leftovers.ts";
import { hostHas } from "../support/needs.ts";
import { Router } from "../support/router.ts";
import type { NetworkList } from "../support/runtime.ts";
import { expectFailure, expectPassed } from "./calls.ts";
import { front, hostLocal, macvlan, wrapped, zone } from "./support.ts";

// eth1 gets its IPv6 address from a router, and no plugin knows it. Most cases wait for the router: they run side by side.

const prefix = "2001:db8:1::/64";
// A busy machine may need long: that is no failure.
const patient = { wait: "30s", required: true };

function listOf(slaac: object, cniVersion = "1.0.0"): NetworkList {
  const ipam = hostLocal("172.16.5.0/24");
  const lan = { ...macvlan, type: "macvlan-wrapper", ipam, wrapper: { ifName: "eth1", slaac } };
  return zone(cniVersion, wrapped(front), lan);
}

/** A list of a layer-2 bridge without IPAM: the address from the router is the only one. */
const onBridge = zone(wrapped(front), {
  ...{ type: "bridge-wrapper", wrapper: { ifName: "eth1", slaac: patient }, bridge: "lan0" },
});

const movers = [
  { type: "sbr", isMissing: false },
  { type: "vrf", vrfname: "red", isMissing: !hostHas.vrf },
];

describe.concurrent("a router advertises a prefix", () => {
  test("the result has the address and the router, CHECK passes, and DEL leaves nothing: three containers at once", async ({
    lab,
  }) => {
    const router = await advertising(lab);
    const list = listOf(patient);
    const containers = [await lab.addContainer("c1"), await lab.addContainer("c2"), await lab.addContainer("c3")];
    const added = containers.map(async (container) => resultOf(await lab.goCni.add(list, container)));
    const gateway = await linkLocalOf(lab, router.container, "uplink1");
    for (const [index, result] of (await Promise.all(added)).entries()) {
      const [, , six, ...more] = result.ips ?? [];
      expect(more).toEqual([]);
      expect(result.interfaces?.[six?.interface ?? -1]?.name).toBe("eth1");
      expect(six).toMatchObject({ address: expect.stringMatching(/^2001:db8:1:.*\/64$/), gateway });
      expect(await globalsOf(lab, containers[index])).toEqual([six?.address]);
    }
    for (const container of containers) expectPassed(await lab.goCni.check(list, container));
    for (const container of containers) expectPassed(await lab.goCni.del(list, container));
    expect(await leftOfContainers(lab, ["front0"])).toEqual([]);
  });

  test("on a bridge without IPAM, in a list of version 0.4.0 as well", async ({ lab }) => {
    await lab.run("sh", ["-ec", "ip link add lan0 type bridge; ip link set lan0 up; ip link set uplink0 master lan0"]);
    await advertising(lab);
    for (const cniVersion of ["1.0.0", "0.4.0"]) {
      const list = { ...onBridge, cniVersion };
      const container = await lab.addContainer(`c-${cniVersion}`);
      const { ips } = resultOf(await lab.goCni.add(list, container));
      expect(ips?.[1]).toMatchObject({ address: (await globalsOf(lab, container))[0] });
      expectPassed(await lab.goCni.check(list, container));
      await lab.ip(container, "link", "set", "eth1", "nomaster", "down");
      expectPassed(await lab.goCni.del(list, container));
    }
    expect(await leftOfContainers(lab, ["front0", "lan0"])).toEqual([]);
  });

  // Of tests side by side, only their own `expect` knows in which one it polls.
  test("another prefix, and no router at all: CHECK passes, and still sees a lost address of the plugin", async ({
    lab,
    container,
    expect,
  }) => {
    const router = await advertising(lab);
    const list = listOf(patient);
    const { ips } = resultOf(await lab.goCni.add(list, container));
    const old = ips?.[2]?.address ?? "";
    await router.advertise({ prefix: "2001:db8:2::/64" });
    await expect.poll(() => globalsOf(lab, container)).toHaveLength(2);
    await lab.ip(container, "address", "delete", old, "dev", "eth1");
    expectPassed(await lab.goCni.check(list, container));
    await router.die();
    await lab.ip(container, "-6", "address", "flush", "dev", "eth1", "scope", "global");
    await lab.ip(container, "-6", "route", "flush", "default");
    expectPassed(await lab.goCni.check(list, container));
    await lab.ip(container, "address", "delete", "172.16.5.2/24", "dev", "eth1");
    expectFailure(await lab.goCni.check(list, container), /Failed to match addr 172\.16\.5\.2\/24 on interface eth1/);
    expectPassed(await lab.goCni.del(list, container));
    expect(await leftOfContainers(lab, ["front0"])).toEqual([]);
  });

  test.for(movers)(
    "another prefix after $type has moved the routes: CHECK passes, and still sees a lost address of the plugin",
    async ({ isMissing, ...mover }, { skip }) => {
      skip(isMissing);
      await using lab = await Lab.start();
      const router = await advertising(lab);
      const list = { ...listOf(patient), plugins: [...listOf(patient).plugins, wrapped(mover, "eth1")] };
      const container = await lab.addContainer("c1");
      const { ips } = resultOf(await lab.goCni.add(list, container));
      expectPassed(await lab.goCni.check(list, container));
      await router.die();
      await lab.ip(container, "address", "delete", ips?.[2]?.address ?? "", "dev", "eth1");
      await lab.ip(container, "-6", "route", "flush", "table", "all", "proto", "ra");
      expectPassed(await lab.goCni.check(list, container));
      await lab.ip(container, "address", "delete", "172.16.5.2/24", "dev", "eth1");
      expectFailure(await lab.goCni.check(list, container), /eth1/);
      expectPassed(await lab.goCni.del(list, container));
      expect(await leftOfContainers(lab, ["front0"])).toEqual([]);
    },
  );

  test("sbr has moved the route of a plugin's own address in the prefix: CHECK sees its loss", async ({
    lab,
    container,
  }) => {
    const router = await advertising(lab);
    const ipam = { type: "static", addresses: ["172.16.5.20/24", "2001:db8:1::20/64"].map((address) => ({ address })) };
    const [first, lan = { type: "" }] = listOf(patient).plugins;
    const list = zone(...(first ? [first] : []), { ...lan, ipam }, wrapped({ type: "sbr" }, "eth1"));
    const { ips } = resultOf(await lab.goCni.add(list, container));
    const routed = ips?.at(-1)?.address ?? "";
    expect(routed).toMatch(/^2001:db8:1:.*\/64$/);
    expectPassed(await lab.goCni.check(list, container));
    await router.die();
    await lab.ip(container, "address", "delete", routed, "dev", "eth1");
    await lab.ip(container, "-6", "route", "flush", "table", "all", "proto", "ra");
    expectPassed(await lab.goCni.check(list, container));
    await lab.ip(container, "-6", "route", "flush", "table", "101", prefix);
    expectFailure(await lab.goCni.check(list, container), /missing: route 2001:db8:1::\/64 table 101\./);
    expectPassed(await lab.goCni.del(list, container));
    expect(await leftOfContainers(lab, ["front0"])).toEqual([]);
  });

  test("a router that comes late is waited for", async ({ lab }) => {
    const router = await Router.make(lab);
    const adding = lab.goCni.add(listOf(patient), await lab.addContainer("c1"));
    await setTimeout(1500);
    await router.advertise({ prefix });
    expect(resultOf(await adding).ips?.[2]?.address).toMatch(/^2001:db8:1:/);
  });
});

test("DEL, and a new ADD while the first one still waits and then fails: the new interface stays", async ({
  lab,
  container,
}) => {
  await Router.make(lab);
  const listWith = (slaac: object) => zone(...listOf(slaac).plugins.slice(1));
  const [list, later] = [listWith({ wait: "3s", required: true }), listWith({ wait: "8s" })];
  const hasInterface = () => expect.poll(() => lab.kernel.linkNames(container)).toEqual(["lo", "eth1"]);
  const first = lab.goCni.add(list, container);
  await hasInterface();
  // The wrapper waits once its plugin has ended.
  await expect.poll(() => lab.run("sh", ["-c", "grep -lx macvlan /proc/[0-9]*/comm; true"])).toBe("");
  // It sees nothing of what happens meanwhile. An `ip` that it runs may end just then: kill says so, and stops the others.
  const running = await lab.run("sh", ["-c", "grep -lz ^CNI_COMMAND=ADD /proc/[0-9]*/environ; true"]);
  const processes = [...running.matchAll(/\d+/g)].map(([id]) => id);
  await lab.call("kill", ["-STOP", ...processes]);
  expectPassed(await lab.goCni.del(list, container));
  const second = lab.goCni.add(later, container);
  await hasInterface();
  await lab.call("kill", ["-CONT", ...processes]);
  expectFailure(await first, /interface eth1 was given up during ADD/);
  expect((await second).exitCode).toBe(0);
  expect(await lab.kernel.linkNames(container)).toEqual(["lo", "eth1"]);
  expectPassed(await lab.goCni.check(later, container));
  expectPassed(await lab.goCni.del(later, container));
  expect(await leftOfContainers(lab)).toEqual([]);
});

const mac = "02:00:00:00:00:05";
const itsAddress = "2001:db8:1:0:0:ff:fe00:5";

const faults: readonly [string, wait: string, (lab: Lab) => Promise<unknown>, RegExp][] = [
  ["no router", "1s", Router.make, /none came within 1s/],
  ["a router without a prefix", "4s", async (lab) => (await Router.make(lab)).advertise({}), /none came within 4s/],
  [
    "an address that another host has",
    "8s",
    async (lab) => {
      const router = await advertising(lab);
      await lab.ip(router.container, "address", "add", `${itsAddress}/64`, "dev", "uplink1", "nodad");
    },
    /another host has 2001:db8:1:0?:?:ff:fe00:5/,
  ],
  [
    "an interface without a carrier",
    "1s",
    async (lab) => {
      const router = await advertising(lab);
      await lab.ip(router.container, "link", "set", "uplink1", "down");
    },
    /the interface is down, or has no carrier/,
  ],
];

describe.concurrent.each(faults)("%s", (_, wait, prepare, words) => {
  const labels = { ETH1_MAC: mac, IgnoreUnknown: "true" };
  const list = (slaac: object) => {
    const { plugins: listed, ...rest } = listOf({ wait, ...slaac });
    const [first = {}, { wrapper, ...second } = {}] = listed;
    return { ...rest, plugins: [first, { ...second, wrapper: { ...(wrapper as object), args: { MAC: "ETH1_MAC" } } }] };
  };

  test("a warning: ADD, CHECK and DEL pass", async ({ lab, container }) => {
    await prepare(lab);
    const { exitCode, stdout, stderr } = await lab.goCni.add(list({}), container, { labels });
    expect(stderr).toMatch(words);
    expect(stderr).toMatch(/^cni-wrappers: warning: eth1 has no IPv6 address from a router: /);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).raw[0].ips).toHaveLength(2);
    expectPassed(await lab.goCni.check(list({}), container, { labels }));
    expectPassed(await lab.goCni.del(list({}), container));
    expect(await leftOfContainers(lab, ["front0"])).toEqual([]);
  });

  test("required: ADD fails, and undoes eth1", async ({ lab, container }) => {
    await prepare(lab);
    const outcome = await lab.goCni.add(list({ required: true }), container, { labels });
    expectFailure(outcome, /interface eth1 has no IPv6 address from a router/);
    expect(outcome.stderr).toMatch(words);
    expect(await lab.kernel.linkNames(container)).toEqual(["lo", "eth0"]);
    expectPassed(await lab.goCni.del(list({ required: true }), container));
    expect(await leftOfContainers(lab, ["front0"])).toEqual([]);
  });
});

async function advertising(lab: Lab): Promise<Router> {
  const router = await Router.make(lab);
  await router.advertise({ prefix });
  return router;
}

function resultOf(outcome: Outcome): Result {
  expectPassed(outcome);
  return JSON.parse(outcome.stdout).raw[0];
}

async function globalsOf(lab: Lab, container: Container | undefined): Promise<string[]> {
  const all = await lab.kernel.addresses(container, "eth1");
  return all.filter((address) => address.includes(":"));
}

async function linkLocalOf(lab: Lab, container: Container, name: string): Promise<string | undefined> {
  const { addr_info } = await lab.kernel.link(container, name);
  return addr_info.find(({ family, scope }) => family === "inet6" && scope === "link")?.local;
}
