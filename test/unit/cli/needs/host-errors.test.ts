import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { backendProblems, ipamProblems, programProblems, routeProblems } from "../../../../cli/needs/host-errors.ts";
import { scratch } from "../../../support/scratch.ts";
import { setVariable, writeProgram } from "../../support/programs.ts";
import { pluginOf } from "./support.ts";

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

const bridge = { type: "bridge", master: "ens18" };

test.each([
  ["the first address is taken for the gateway", macvlan(below, { routes }), [lan], [guess]],
  ["a pool begins with the gateway", macvlan({ subnet, rangeStart: lan.gateway }), [lan], [given]],
  ["a pool begins behind it", macvlan({ subnet, rangeStart: lan.gateway }), [{ ...lan, gateway: "172.16.5.9" }], []],
  ["both", macvlan({}, { routes, ranges: [[{ subnet }, { subnet: "172.16.9.0/24" }, {}]] }), [lan], [guess, given]],
  ["the gateway is named", macvlan({ subnet, gateway: "172.16.5.254" }, { routes }), [lan], []],
  ["another one is named, which is in no pool", macvlan({ ...below, gateway: "172.16.5.2" }, { routes }), [lan], []],
  ["no default route", macvlan(below, { routes: [{ dst: "10.0.0.0/8" }] }), [lan], []],
  ["a default route with a gateway", macvlan(below, { routes: [{ dst: "0.0.0.0/0", gw: "172.16.5.9" }] }), [lan], []],
  ["the first address is the gateway", macvlan({ subnet }, { routes }), [{ ...lan, gateway: "172.16.5.1" }], []],
  ["the gateway is in another subnet", macvlan({ subnet }, { routes }), [{ ...lan, gateway: "172.16.6.1" }], []],
  ["the route is on another device", macvlan({ subnet }, { routes }), [{ ...lan, device: "ens19" }], []],
  ["a master in the container", macvlan({ subnet }, { routes }, { linkInContainer: true }), [lan], []],
  ["a program decides", macvlan({ subnet }, { routes }, { wrapper: { jq: "." } }), [lan], []],
  ["a bridge has no master", pluginOf({ ...bridge, ipam: { type: "host-local", subnet, routes } }), [lan], []],
  ["host-device: the only default route", hostDevice("ens18"), [lan], [lost]],
  ["host-device: another device has one, too", hostDevice("ens18"), [lan, { ...lan, device: "ens19" }], []],
  ["host-device: another device", hostDevice("ens19"), [lan], []],
  ["host-device: no default route", hostDevice("ens18"), [], []],
  ["host-device: a program decides", hostDevice("ens18", { wrapper: { jq: "." } }), [lan], []],
])("%s", (_, plugin, found, told) => {
  const lines = routeProblems(plugin, found);
  expect(lines).toEqual(told.map((words) => expect.stringMatching(words)));
});

const hostLocal = (own: object, wrapper: object = {}) =>
  pluginOf({ type: "macvlan-wrapper", wrapper, ipam: { type: "host-local", subnet: "172.16.5.0/24", ...own } });

test.each([
  ["resolvConf", hostLocal({ resolvConf: "/no/resolv.conf" }), ["/no/resolv.conf (resolvConf), which is not there"]],
  ["resolvConf in another spelling", hostLocal({ resolvconf: "/no/resolv.conf" }), ["/no/resolv.conf (resolvConf)"]],
  ["resolvConf that is there", hostLocal({ resolvConf: "/proc/self/stat" }), []],
  ["resolvConf from where the runtime was started", hostLocal({ resolvConf: "resolv.conf" }), []],
  ["resolvConf, and a program decides", hostLocal({ resolvConf: "/no/resolv.conf" }, { jq: "." }), []],
  ["dataDir below a file", hostLocal({ dataDir: "/proc/self/stat/leases" }), ["/proc/self/stat: is not a directory"]],
  ["dataDir that host-local makes", hostLocal({ dataDir: "/tmp/no/leases" }), []],
  ["dataDir from where the runtime was started", hostLocal({ dataDir: "package.json/leases" }), []],
])("%s", (_, plugin, told) => {
  expect(ipamProblems(plugin)).toEqual(told.map((words) => expect.stringContaining(words)));
});

const nft = scratch();
beforeEach(() => writeProgram(join(nft, "nft"), ""));

test.each([
  ["masquerading", { type: "bridge", ipMasq: true }, "iptables or nft", ""],
  ["masquerading with iptables", { type: "ptp", ipMasq: true, ipMasqBackend: "iptables" }, "iptables", "iptables"],
  ["masquerading with nftables", { type: "bridge", ipMasq: true, ipMasqBackend: "nftables" }, "nft", ""],
  ["masquerading with a backend of null", { type: "ptp", ipMasq: true, ipMasqBackend: null }, "iptables or nft", ""],
  ["no masquerading", { type: "bridge", ipMasq: false }, "", ""],
  ["a plugin that does not masquerade", { type: "macvlan", ipMasq: true }, "", ""],
  ["published ports", { type: "portmap-wrapper" }, "iptables or nft", ""],
  ["firewall", { type: "firewall" }, "iptables or firewalld", "iptables or firewalld"],
  ["firewall with firewalld", { type: "firewall", backend: "firewalld" }, "firewalld", "firewalld"],
  ["a program decides", { type: "portmap-wrapper", wrapper: { jq: "." } }, "", ""],
])("%s", (_, configuration, withNothing, withNft) => {
  const wanted = (path: string) =>
    programProblems(pluginOf(configuration), path).map((line) => / needs (.*?),/.exec(line)?.[1]);
  expect(wanted("/nowhere")).toEqual(withNothing === "" ? [] : [withNothing]);
  expect(wanted(nft)).toEqual(withNft === "" ? [] : [withNft]);
});

test.each<[string, object, readonly string[], readonly string[]]>([
  ["conditions of nftables", { conditionsV4: ["ip", "daddr", "192.0.2.1"] }, ["conditionsV4"], []],
  ["conditions of iptables", { conditionsV6: ["!", "-d", "::1"] }, [], ["conditionsV6"]],
  ["a chain of iptables", { externalSetMarkChain: "KUBE" }, [], ["externalSetMarkChain"]],
  ["no options of a backend", { conditionsV4: [], conditionsV6: [""], markMasqBit: 13 }, [], []],
  ["a backend", { backend: "nftables", conditionsV4: ["ip", "daddr", "192.0.2.1"] }, [], []],
  ["a program decides", { conditionsV4: ["ip"], wrapper: { jq: "." } }, [], []],
])("portmap's backend is that of the host: %s", (_, configuration, withIptables, withNft) => {
  const plugin = pluginOf({ type: "portmap-wrapper", ...configuration });
  setVariable("PATH", nft);
  const told = (keys: readonly string[], words: string) =>
    keys.map((key) => expect.stringContaining(`${key} ${words}`));
  expect(backendProblems(plugin)).toEqual(told(withNft, "is for iptables: ADD"));
  // A kernel without what iptables needs.
  writeProgram(join(nft, "iptables"), "exit 1");
  expect(backendProblems(plugin)).toEqual(told(withNft, "is for iptables: ADD"));
  writeProgram(join(nft, "iptables"), "");
  expect(backendProblems(plugin)).toEqual(told(withIptables, "is for nftables: ADD"));
  writeProgram(join(nft, "iptables"), "exit 1");
  writeProgram(join(nft, "nft"), "exit 1");
  expect(backendProblems(plugin)).toEqual(told(withIptables, "is for nftables: ADD"));
});
