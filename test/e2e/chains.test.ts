import type { Result } from "../support/kernel.ts";
import { type Container, Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import type { NetworkList } from "../support/runtime.ts";
import { attached, expectFailure, expectSuccess, expectUndone } from "./calls.ts";
import { bridge, hostLocal, inTurn, macvlan, older, wrapped, zone } from "./support.ts";

const second = { type: "bridge", bridge: "disc1", isGateway: true, ipam: hostLocal("10.30.0.0/24") };

interface Case {
  readonly title: string;
  readonly list: NetworkList;
  /** The container's links in the kernel's order, with their addresses. */
  readonly links: Record<string, string[]>;
  /** The interfaces of the result, in its order. */
  readonly result: string[];
  readonly bridges: string[];
  readonly twin: { takeAway: (lab: Lab, container: Container) => Promise<unknown>; message: string | RegExp };
}

const cases: readonly Case[] = [
  {
    title: "three interfaces",
    list: zone(wrapped(macvlan), wrapped(bridge, "eth1"), wrapped(second, "eth2")),
    links: { lo: [], eth0: ["172.16.5.2/24"], eth1: ["172.26.64.2/20"], eth2: ["10.30.0.2/24"] },
    result: ["eth0", "disc0", "VETH", "eth1", "disc1", "VETH", "eth2"],
    bridges: ["disc0", "disc1"],
    twin: loses("eth2", "10.30.0.2/24"),
  },
  {
    title: "the renamed interface first",
    list: zone(wrapped(bridge, "eth1"), wrapped(macvlan)),
    links: { lo: [], eth1: ["172.26.64.2/20"], eth0: ["172.16.5.2/24"] },
    result: ["disc0", "VETH", "eth1", "eth0"],
    bridges: ["disc0"],
    twin: loses("eth1", "172.26.64.2/20"),
  },
  {
    title: "two macvlans of one master",
    list: zone(wrapped(macvlan), wrapped({ ...macvlan, ipam: hostLocal("172.16.6.0/24") }, "eth1")),
    links: { lo: [], eth0: ["172.16.5.2/24"], eth1: ["172.16.6.2/24"] },
    result: ["eth0", "eth1"],
    bridges: [],
    twin: loses("eth1", "172.16.6.2/24"),
  },
  {
    title: "two interfaces in one bridge",
    list: zone(wrapped(second), wrapped({ ...second, isGateway: false, ipam: hostLocal("10.40.0.0/24") }, "eth1")),
    links: { lo: [], eth0: ["10.30.0.2/24"], eth1: ["10.40.0.2/24"] },
    result: ["disc1", "VETH", "eth0", "disc1", "VETH", "eth1"],
    bridges: ["disc1"],
    twin: loses("eth0", "10.30.0.2/24"),
  },
  {
    title: "a route without a gateway",
    list: zone(
      wrapped(macvlan),
      wrapped({ ...second, ipam: hostLocal("10.30.0.0/24", { dst: "10.99.0.0/16" }) }, "eth1"),
    ),
    links: { lo: [], eth0: ["172.16.5.2/24"], eth1: ["10.30.0.2/24"] },
    result: ["eth0", "disc1", "VETH", "eth1"],
    bridges: ["disc1"],
    twin: {
      takeAway: (lab, container) => lab.ip(container, "route", "del", "10.99.0.0/16"),
      message: /^Expected Route .*10\.99\.0\.0.* not found in routing table$/,
    },
  },
  {
    title: "one IPv6 route of two interfaces",
    list: zone("1.0.0", wrapped(routed("disc0", "fd00:26")), wrapped(routed("disc1", "fd00:30"), "eth1")),
    links: { lo: [], eth0: ["fd00:26::2/64"], eth1: ["fd00:30::2/64"] },
    result: ["disc0", "VETH", "eth0", "disc1", "VETH", "eth1"],
    bridges: ["disc0", "disc1"],
    twin: {
      takeAway: (lab, container) =>
        lab.ip(container, "route", "del", "fd00:99::/64", "via", "fd00:30::1", "dev", "eth1"),
      message: /^Expected Route .*GW:fd00:30::1 .* not found in routing table$/,
    },
  },
  {
    title: "one IPv6 route in one subnet",
    list: zone("1.0.0", wrapped(near("10")), wrapped(near("20"), "eth1")),
    links: { lo: [], eth0: ["fd00:77::10/64"], eth1: ["fd00:77::20/64"] },
    result: ["eth0", "eth1"],
    bridges: [],
    twin: {
      takeAway: (lab, container) => lab.ip(container, "route", "del", "fd00:99::/64"),
      message: /^Expected Route .*GW:fd00:77::1 .* not found in routing table$/,
    },
  },
];

/** A macvlan with a route to one and the same IPv6 network, through one and the same gateway. */
function near(start: string) {
  const range = { subnet: "fd00:77::/64", rangeStart: `fd00:77::${start}`, gateway: "fd00:77::1" };
  const routes = [{ dst: "fd00:99::/64", gw: "fd00:77::1" }];
  return { ...macvlan, ipam: { type: "host-local", ranges: [[range]], routes } };
}

/** A bridge with a route to one and the same IPv6 network. */
function routed(name: string, prefix: string) {
  return {
    type: "bridge",
    bridge: name,
    isGateway: true,
    ipam: hostLocal(`${prefix}::/64`, { dst: "fd00:99::/64", gw: `${prefix}::1` }),
  };
}

test.each(inTurn(cases))(
  "a chain of $title passes ADD, CHECK and DEL, and fails CHECK when one thing is gone ($plugins, $runtime)",
  async (given) => {
    const { plugins, runtime, list, links, result, bridges, twin } = given;
    await using lab = await Lab.start({ plugins });
    const container = await attached(lab, lab[runtime], list);
    expect(await lab.kernel.linkNames(container)).toEqual(Object.keys(links));
    for (const [name, addresses] of Object.entries(links)) {
      expect(await lab.kernel.addresses(container, name)).toEqual(addresses);
    }
    const cached = await lab.kernel.cachedResult("zone", lab[runtime].id(container));
    const names = interfaceNames(cached);
    expect(names).toEqual(result);
    expect(cached.ips?.map(({ address, interface: index }) => [names[index ?? -1], address])).toEqual(
      result.flatMap((name) => (links[name] ?? []).map((address) => [name, address])),
    );
    expectSuccess(await lab[runtime].check(list, container));
    await twin.takeAway(lab, container);
    expectFailure(await lab[runtime].check(list, container), twin.message);
    await expectUndone(lab, list, container, bridges, lab[runtime]);
  },
);

describe("a chain of", () => {
  test("two interfaces of one name is refused before the second plugin runs", async () => {
    await using lab = await Lab.start({ ...older, recorded: true });
    const list = zone(wrapped(macvlan), wrapped(bridge));
    const outcome = await lab.runtime.add(list, await lab.addContainer("c1"));
    expectFailure(outcome, /^plugin type="bridge-wrapper" failed \(add\): .*\beth0\b/);
    const records = await lab.records();
    expect(records.map(({ plugin }) => plugin)).toEqual(["macvlan-wrapper", "macvlan", "host-local", "bridge-wrapper"]);
    expect(records.at(-1)).toMatchObject({ stdout: { code: 7 }, exitCode: 1 });
  });
});

/** The interfaces of a result. VETH stands for the random name of a veth. */
function interfaceNames({ interfaces = [] }: Result): string[] {
  return interfaces.map(({ name }) => name.replace(/^veth[0-9a-f]{8}$/, "VETH"));
}

function loses(link: string, address: string): Case["twin"] {
  return {
    takeAway: (lab, container) => lab.ip(container, "address", "del", address, "dev", link),
    message: `Failed to match addr ${address} on interface ${link}`,
  };
}
