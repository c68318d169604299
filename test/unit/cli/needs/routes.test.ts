import { expect, test } from "vitest";
import { defaultRoutes } from "../../../../cli/host/links.ts";
import { routeProblems } from "../../../../cli/needs/host-errors.ts";
import { pluginOf } from "./support.ts";

// As the kernel prints them, for: default via 172.16.5.254 dev ens18; default dev tun0; 10.0.0.0/8 via 10.1.2.3 dev ens19;
// 0.0.0.0/1 via 10.1.2.3 dev ens19, as a VPN has it.
const table = `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
ens18\t00000000\tFE0510AC\t0003\t0\t0\t0\t00000000\t0\t0\t0
tun0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0
ens19\t0000000A\t0302010A\t0003\t0\t0\t0\t000000FF\t0\t0\t0
ens19\t00000000\t0302010A\t0003\t0\t0\t0\t00000080\t0\t0\t0
`;

test("the default routes with a gateway, from the kernel's table", () => {
  expect(defaultRoutes(table)).toEqual([{ device: "ens18", gateway: "172.16.5.254" }]);
});

const lan = { device: "ens18", gateway: "172.16.5.254" };
const subnet = "172.16.5.0/24";
const routes = [{ dst: "0.0.0.0/0" }];
const below = { subnet, rangeEnd: "172.16.5.99" };
const macvlan = (range: object, ipam: object = {}, own: object = {}) =>
  pluginOf({
    type: "macvlan-wrapper",
    master: "ens18",
    ipam: { type: "host-local", ranges: [[range]], ...ipam },
    ...own,
  });
const hostDevice = (device: string, own: object = {}) => pluginOf({ type: "host-device-wrapper", device, ...own });

const guess = /a default route through 172\.16\.5\.1, and this host's goes through 172\.16\.5\.254 on ens18/;
const given = /eth0 can get 172\.16\.5\.254, the gateway on ens18\. Set "gateway" to 172\.16\.5\.254 next to "subnet"$/;
const lost = /moves ens18 into the container/;

test.each([
  ["the first address is taken for the gateway", macvlan(below, { routes }), [lan], [guess]],
  ["a pool begins with the gateway", macvlan({ subnet, rangeStart: lan.gateway }), [lan], [given]],
  ["a pool begins behind it", macvlan({ subnet, rangeStart: lan.gateway }), [{ ...lan, gateway: "172.16.5.9" }], []],
  ["both", macvlan({}, { routes, ranges: [[{ subnet }, { subnet: "172.16.9.0/24" }, {}]] }), [lan], [guess, given]],
  ["the gateway is named", macvlan({ subnet, gateway: "172.16.5.254" }, { routes }), [lan], []],
  [
    "another one is named, and stays out of the pool",
    macvlan({ ...below, gateway: "172.16.5.2" }, { routes }),
    [lan],
    [],
  ],
  ["no default route", macvlan(below, { routes: [{ dst: "10.0.0.0/8" }] }), [lan], []],
  ["a default route with a gateway", macvlan(below, { routes: [{ dst: "0.0.0.0/0", gw: "172.16.5.9" }] }), [lan], []],
  ["the first address is the gateway", macvlan({ subnet }, { routes }), [{ ...lan, gateway: "172.16.5.1" }], []],
  ["the gateway is in another subnet", macvlan({ subnet }, { routes }), [{ ...lan, gateway: "172.16.6.1" }], []],
  ["the route is on another device", macvlan({ subnet }, { routes }), [{ ...lan, device: "ens19" }], []],
  ["a master in the container", macvlan({ subnet }, { routes }, { linkInContainer: true }), [lan], []],
  ["a program decides", macvlan({ subnet }, { routes }, { wrapper: { jq: "." } }), [lan], []],
  [
    "a bridge has no master",
    pluginOf({ type: "bridge", master: "ens18", ipam: { type: "host-local", subnet, routes } }),
    [lan],
    [],
  ],
  ["host-device: the only default route", hostDevice("ens18"), [lan], [lost]],
  ["host-device: another device has one, too", hostDevice("ens18"), [lan, { ...lan, device: "ens19" }], []],
  ["host-device: another device", hostDevice("ens19"), [lan], []],
  ["host-device: no default route", hostDevice("ens18"), [], []],
  ["host-device: a program decides", hostDevice("ens18", { wrapper: { jq: "." } }), [lan], []],
])("%s", (_, plugin, found, told) => {
  const lines = routeProblems(plugin, found);
  expect(lines).toEqual(told.map((words) => expect.stringMatching(words)));
});
