import { expect, test } from "vitest";
import { outsideSubnets } from "../../../../cli/live/check.ts";
import { changedInterface } from "../../../../cli/rules/changed-interface.ts";
import { changedNetwork } from "../../../../cli/rules/changed-network.ts";
import { cachedAttachment } from "../../support/cached-results.ts";
import { zoneOfBlue } from "../../support/journals.ts";
import { bothResult } from "../../support/results.ts";
import { listWith } from "../needs/support.ts";

const ipam = (subnet: string) => ({ type: "host-local", ranges: [[{ subnet }]] });
const macvlan = { type: "macvlan", master: "ens18", ipam: ipam("172.16.5.0/24") };
const bridge = { type: "bridge", bridge: "disc0", ipam: ipam("172.26.64.0/20") };
const moved = { ...bridge, ipam: ipam("10.9.0.0/24") };
const wrapped = ({ type, ...rest }: { type: string }, ifName?: string) => ({
  ...{ type: `${type}-wrapper`, ...(ifName !== undefined && { wrapper: { ifName } }), ...rest },
});

// eth0 has 172.16.5.10, eth1 172.26.64.2.
const attachment = cachedAttachment({ ...zoneOfBlue, result: bothResult });

test.each([
  ["the wrapped list", [wrapped(macvlan), wrapped(bridge, "eth1")], []],
  ["another subnet of eth1", [wrapped(macvlan), wrapped(moved, "eth1")], ["eth1"]],
  ["another subnet of eth0, which a plain plugin makes", [{ ...moved }, wrapped(bridge, "eth1")], ["eth0"]],
  ["the plain list of a script, which gives each interface a name", [macvlan, bridge], []],
  ["a plain plugin and an unnamed wrapper", [wrapped(macvlan), bridge], []],
  ["a list without subnets", [{ ...macvlan, ipam: { type: "dhcp" } }], []],
])("addresses outside of the subnets: %s", (_, plugins, interfaces) => {
  const lines = outsideSubnets(listWith(...plugins), attachment);
  expect(lines.map((line) => line.split(" ")[0])).toEqual(interfaces);
});

const made = (type: string, ifName: string) => ({ ...zoneOfBlue, type, ifName });

test.each([
  ["the plain list of a script, after the wrapped one", [macvlan, bridge], []],
  ["a plain list without one of the plugins", [{ ...macvlan, type: "ipvlan" }, bridge], ["eth0 of macvlan"]],
  ["a single plain plugin makes the runtime's interface only", [macvlan], ["eth1 of bridge"]],
])("interfaces that the list does not make any more: %s", (_, plugins, lost) => {
  const state = { entries: [made("macvlan", "eth0"), made("bridge", "eth1")], leases: [], unreadable: [] };
  const found = changedInterface.findInList(listWith(...plugins), { lists: [], state } as never);
  const messages = [found].flat().flatMap((one) => (one && "message" in one ? one.message : []));
  expect(messages.map((message) => /\w+ of \w+/.exec(message)?.[0])).toEqual(lost);
});

test.each([
  ["bridge", 1],
  ["macvlan", 0],
])("an entry of %s for eth1, whose network is now another one", (type, count) => {
  const list = listWith(wrapped(macvlan), wrapped(bridge, "eth1"));
  const state = { entries: [{ ...made(type, "eth1"), delegateNetwork: "lan" }], leases: [], unreadable: [] };
  const found = list.plugins.map((plugin) => changedNetwork.findInPlugin(plugin, list, { lists: [], state } as never));
  expect(found.flatMap((one) => one ?? [])).toHaveLength(count);
});
