import { expect, test } from "vitest";
import { outsideSubnets } from "../../../../cli/live/check.ts";
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
