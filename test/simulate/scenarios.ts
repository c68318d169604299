import type { Event, Fault, VerbEvent } from "./event.ts";
import type { Lists } from "./lists.ts";
import type { ListedPlugin } from "./runtime.ts";

/** A short schedule. No promise is broken in it. */
export type Scenario = readonly [lists: Lists, ...events: Event[]];

const local = (subnet: number) => ({ ipam: { type: "host-local", subnet: `10.${subnet}.0.0/24` } });
const of = (ifName: string | undefined, more = {}) => (ifName ? { wrapper: { ifName, ...more } } : { wrapper: more });
const creator = (type: string) => (subnet: number, ifName?: string) => ({
  ...{ type: `${type}-wrapper`, ...(ifName !== undefined && of(ifName)) },
  ...local(subnet),
});
const macvlan = creator("macvlan");
const ptp = creator("ptp");
const bridge = (subnet: number, ifName?: string) => ({ ...creator("bridge")(subnet, ifName), ...of(ifName) });
/** An interface plugin that gets its addresses from a DHCP server. */
const withDhcp = (plugin: ListedPlugin): ListedPlugin => ({ ...plugin, ipam: { type: "dhcp", subnet: "10.1.0.0/24" } });
const chained = (type: string, ifName?: string, more = {}): ListedPlugin => ({
  type: `${type}-wrapper`,
  ...of(ifName),
  ...more,
});
const portmap = (backend: string, ifName?: string, port?: number): ListedPlugin => ({
  type: "portmap-wrapper",
  backend,
  capabilities: { portMappings: true },
  ...of(ifName, port ? { ports: { only: [port] } } : {}),
});

const unknown = chained("mark", undefined, { wrapper: { role: "meta" } });

const flannel = { type: "flannel-wrapper", wrapper: { role: "creator" }, subnet: "10.9.0.0/24" };

const two = [macvlan(1), bridge(2, "eth1")];
const twins = [...two, ...["tuning", "sbr", "tuning"].map((type) => chained(type, "eth1", { mtu: 1400 }))];
const add = (key: string, fault?: Fault): VerbEvent => ({ do: "ADD", of: key, ...(fault && { fault }) });
const del = (key: string, fault?: Fault): VerbEvent => ({ do: "DEL", of: key, ...(fault && { fault }) });
const reboot: Event = { do: "reboot" };
const renamed = (list: string, from: string, to: string): Event => ({ do: "rename", list, from, to });
const check = (key: string): Event => ({ do: "CHECK", of: key });
const loses = (container: string, task?: true): Event => ({
  do: "lose the namespace",
  container,
  ...(task && { task }),
});

/** A second interface in a pool that another list may have, too. */
const inPool = (subnet: number) => ({ ...bridge(subnet), wrapper: { ifName: "eth1", network: "disc" } });
/** macvlan with addresses of that pool. */
const pooled = { ...macvlan(1), wrapper: { network: "disc" } };
const masqueraded = { ipMasq: true };
const marks = chained("mark");
const twin = (subnet: number, wrapper = {}) => ({
  ...local(subnet),
  type: "twin-wrapper",
  wrapper: { ...wrapper, role: "creator" },
});
/** So many containers' ADDs that a pool of eight addresses has few left, or none. */
const fill = ["c2 za eth0", "c2 za net1", "c2 za eth1", "c3 za eth0", "c3 za net1", "c3 za eth1"].map((key) =>
  add(key),
);

/** Short schedules, by what happens in them. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  "ports and limits of a failed ADD are deleted, iptables": [
    { za: [...two, chained("bandwidth", "eth1"), portmap("iptables", "eth1")] },
    add("c1 za eth0"),
    add("c1 za net1"),
    del("c1 za net1"),
  ],
  "limits of a failed ADD are deleted": [
    { za: [bridge(1), chained("bandwidth")] },
    add("c1 za eth0"),
    add("c1 za net1"),
    del("c1 za net1"),
  ],
  "ADD is repeated, two portmaps with nftables": [
    { za: [...two, portmap("nftables", undefined, 80), portmap("nftables", "eth1", 81), marks] },
    add("c1 za eth0", { at: "mark: marked", do: "fail the plugin" }),
    add("c1 za eth0"),
    check("c1 za eth0"),
  ],
  "an equal plugin stands on each side of another one, and a plugin before them needs another address": [
    { za: twins },
    add("c1 za eth0"),
    reboot,
    add("c1 za eth0", { at: "bridge: leased", do: "fail the plugin" }),
    check("c1 za eth0"),
  ],
  "an ipvlan gets the name of a bridge between two boots, and a killed ADD is deleted": [
    { za: [bridge(1), { ...macvlan(2), type: "ipvlan-wrapper", ...of("eth2") }, chained("firewall")] },
    add("c1 za eth1"),
    reboot,
    renamed("za", "eth1", "eth2"),
    add("c1 za eth1", { at: 12, do: "kill" }),
    del("c1 za eth1"),
  ],
  "an ipvlan gets the name of a ptp between two boots, and libcni's result is of the first one": [
    { za: [ptp(1), { ...macvlan(2), type: "ipvlan-wrapper", ...of("eth1") }] },
    add("c1 za eth0"),
    reboot,
    renamed("za", "eth1", ""),
    add("c1 za eth0", { at: "before the result is kept", do: "kill" }),
    del("c1 za eth0"),
  ],
  "the list was plain, its attachment is live, and a stray ADD of the wrapped list fails": [
    { za: [macvlan(1)] },
    { do: "unwrap", list: "za" },
    add("c1 za eth0"),
    { do: "wrap", list: "za" },
    add("c1 za eth0"),
    del("c1 za eth0"),
  ],
  "a failed ADD shares its ports' rules with a sibling, and its DEL is killed": [
    { za: [bridge(1), portmap("nftables")] },
    add("c1 za eth0"),
    add("c1 za net1", { at: "portmap: port published", do: "fail the plugin" }),
    del("c1 za net1", { at: "portmap: ports removed", do: "kill" }),
    check("c1 za eth0"),
  ],
  "tuning was missing when its try was undone, and a sibling has made the interface since": [
    {
      za: [bridge(1, "eth1"), chained("tuning", "eth1", { mtu: 1400 }), chained("tuning", "eth1", { mtu: 1300 })],
      zb: [bridge(2, "eth1")],
    },
    add("c1 za eth0", { at: "before the result is kept", do: "kill" }),
    { do: "uninstall", plugin: "tuning" },
    add("c1 za eth0", { at: "bridge: link deleted", do: "kill" }),
    { do: "install", plugin: "tuning" },
    add("c1 zb net1"),
    del("c1 za eth0"),
  ],
  "a list has nothing wrapped but an unknown plugin, and its live attachment gets another ADD": [
    { za: [{ type: "uplink" }, unknown] },
    add("c1 za eth0"),
    add("c1 za eth0"),
    del("c1 za eth0"),
  ],
  "a list has nothing wrapped but two unknown plugins, and they wait for a sibling": [
    {
      za: [{ type: "uplink" }, unknown, { ...unknown, wrapper: { role: "meta", args: "keep" } }],
      zb: [macvlan(1), unknown],
    },
    add("c1 za eth0"),
    add("c1 zb net1"),
    del("c1 za eth0"),
    del("c1 zb net1"),
  ],
  "an attachment is deleted that never was, while a plain sibling makes its interface beside another one": [
    { za: [bridge(1, "eth1")], zb: [{ ...macvlan(2), type: "macvlan" }], zc: [macvlan(3)] },
    add("c1 zc net1"),
    add("c1 zb eth1", { at: "macvlan: address set", do: "go on", first: del("c1 za eth0") }),
  ],
  "an ADD failed in a new namespace, and the sibling of the old one is deleted at the same time": [
    { za: [bridge(1, "eth1")] },
    add("c1 za net1"),
    loses("c1"),
    add("c1 za eth0"),
    del("c1 za eth0", { at: "write", do: "go on", first: del("c1 za net1") }),
  ],
  "a plain attachment is deleted after its list was wrapped, and an unknown plugin waits for its lease": [
    { za: [macvlan(1)], zb: [twin(1, { ifName: "eth1", network: "za" })] },
    { do: "unwrap", list: "za" },
    add("c1 za eth1"),
    { do: "wrap", list: "za" },
    add("c1 zb net1"),
    del("c1 zb net1"),
    del("c1 za eth1"),
  ],
  "one list under two names of the runtime, one container, DHCP, and a plugin that asks for an address first": [
    { za: [macvlan(1), { type: "ptp-wrapper", ...of("eth1"), ipam: { type: "dhcp", subnet: "10.98.0.0/24" } }] },
    add("c1 za eth0"),
    add("c1 za net1"),
    add("c1 za eth0"),
    check("c1 za eth0"),
  ],
  "one list under two names of the runtime at the same time, DHCP, and a plugin that asks for an address first": [
    { za: [{ type: "ptp-wrapper", ...of("eth1"), ipam: { type: "dhcp", subnet: "10.98.0.0/24" } }] },
    add("c1 za eth0", { at: "ptp: leased", do: "go on", first: add("c1 za net1") }),
    add("c1 za eth0", { at: "spawn", do: "go on", first: add("c1 za net1") }),
  ],
  "a plugin with two interfaces of its own": [
    { za: [macvlan(1), twin(2, { ifName: "eth1" })] },
    add("c1 za eth0"),
    check("c1 za eth0"),
  ],
  "an earlier plugin reports an address of the host": [
    { za: [{ type: "uplink" }, macvlan(1)] },
    add("c1 za eth0"),
    check("c1 za eth0"),
  ],
  "the clock is set back, and a plain sibling takes the interface name of an ADD that fails": [
    { za: [bridge(1, "eth1")], zb: [{ ...macvlan(2), type: "macvlan" }], zc: [macvlan(3)] },
    add("c1 zc net1"),
    { do: "set the clock", minutes: -60 },
    add("c1 za eth0", { at: "spawn", do: "go on", first: add("c1 zb eth1") }),
    del("c1 za eth0"),
  ],
  "sbr, and a sibling had an interface in its subnet until now": [
    { za: [macvlan(1), inPool(2), chained("sbr", "eth1")], zb: [{ ...bridge(2), wrapper: { network: "disc" } }] },
    add("c1 zb net1"),
    add("c1 za eth0"),
    del("c1 zb net1"),
    check("c1 za eth0"),
  ],
  "a task stays in the old namespace, and another runtime collects garbage": [
    { za: [macvlan(1)] },
    add("c1 za eth0"),
    loses("c1", true),
    { do: "GC", list: "za", by: "another" },
  ],
  "a plugin leaves the middle of the list, and its delegate the host": [
    { za: [...two, portmap("iptables", "eth1"), chained("firewall", "eth1")] },
    add("c1 za eth0"),
    { do: "uninstall", plugin: "portmap" },
    { do: "remove from the list", list: "za", plugin: 2 },
    del("c1 za eth0"),
  ],
  "an undo fails, and the list no longer masquerades that interface": [
    { za: [ptp(1), { ...ptp(2), wrapper: { ifName: "eth1" }, ...masqueraded }, chained("sbr", "eth2")] },
    add("c1 za eth0"),
    renamed("za", "eth1", ""),
    add("c1 za eth0", { at: "ptp: link deleted", do: "fail the plugin" }),
    del("c1 za eth0"),
  ],
  "a try leaves its rules, and its interface gets another pool": [
    { za: [bridge(1), bridge(2, "eth1"), portmap("nftables")], zb: [macvlan(3), portmap("nftables")] },
    add("c1 zb net1"),
    add("c1 za eth0", { at: "portmap: port published", do: "kill the plugin" }),
    renamed("za", "eth1", ""),
    add("c1 za eth0"),
  ],
  "the ADD that publishes a sibling's ports again fails once": [
    { za: [bridge(1), portmap("nftables")] },
    add("c1 za eth0"),
    add("c1 za net1"),
    del("c1 za net1", { at: "portmap: port published", do: "fail the plugin" }),
    check("c1 za eth0"),
  ],
  "of two siblings whose ports are published again, the second one is deleted meanwhile": [
    { za: [bridge(1), portmap("nftables")] },
    ...["c1 za eth0", "c1 za eth1", "c1 za net1"].map((key) => add(key)),
    // The second time that portmap has published a port.
    del("c1 za eth0", { at: 33, do: "go on", first: del("c1 za net1") }),
  ],
  "a sibling gets the address, and an unknown plugin waits for it": [
    { za: [pooled, marks] },
    add("c1 za eth0"),
    add("c1 za net1"),
    del("c1 za eth0"),
    ...fill,
    add("c1 za eth1"),
    add("c1 za eth0"),
  ],
  "one masqueraded list under three names of the runtime, one container": [
    { za: [{ ...bridge(1), ...masqueraded }] },
    ...["eth0", "net1", "eth1"].map((name) => add(`c1 za ${name}`)),
  ],
  "a masqueraded sibling of an earlier boot is deleted": [
    { za: [{ ...bridge(1), ...masqueraded }] },
    add("c1 za eth0"),
    add("c1 za net1"),
    reboot,
    del("c1 za eth0"),
    add("c1 za eth0"),
  ],
  "a plugin is killed, and ADD comes again much later": [
    { za: two },
    add("c1 za eth0", { at: "bridge: leased", do: "kill the plugin" }),
    { do: "wait", minutes: 16 },
    add("c1 za eth0"),
  ],
  "sbr, and a sibling's interface of that name was in a lost namespace": [
    { za: [macvlan(1), chained("sbr")], zb: [bridge(2, "eth1"), chained("sbr", "eth1")] },
    add("c1 za eth1"),
    loses("c1"),
    add("c1 zb eth0"),
    del("c1 zb eth0"),
  ],
  "the runtime is killed, and the next one's DEL passes right after the old call began to write": [
    { za: [macvlan(1), marks], zb: [macvlan(2), marks] },
    add("c1 zb net1"),
    add("c1 za eth0"),
    del("c1 za eth0"),
    add("c1 za eth0", { at: 13, do: "kill the runtime", first: del("c1 za eth0") }),
    del("c1 za eth0"),
  ],
  "the runtime is killed, the next one's DEL passes, and the old call masquerades": [
    { za: [{ ...bridge(1, "eth1"), ...masqueraded }] },
    add("c1 za eth0", { at: "bridge: chain filled", do: "kill the runtime", first: del("c1 za eth0") }),
  ],
  "two names with different IPAM plugins are exchanged, and a task stays in the old namespace": [
    { za: [bridge(1), { ...bridge(2, "eth1"), ipam: { type: "dhcp", subnet: "10.2.0.0/24" } }, marks] },
    add("c1 za eth0", { at: "mark: marked", do: "fail the plugin" }),
    renamed("za", "eth1", ""),
    loses("c1", true),
    add("c1 za eth0"),
    del("c1 za eth0"),
  ],
  "an ADD is cut off in a namespace where a task stays, and a sibling comes again that had a lease for that interface":
    [
      { za: [{ ...ptp(1), wrapper: { network: "disc" } }] },
      add("c1 za eth1"),
      add("c2 za eth1"),
      reboot,
      renamed("za", "eth1", ""),
      add("c1 za eth0", { at: 19, do: "kill" }),
      loses("c1", true),
      add("c1 za eth1"),
    ],
  "the power is lost in an ADD, its DEL is killed after it has freed the lease, and a sibling with that interface comes twice":
    [
      { za: [ptp(1, "eth2"), chained("tuning", "eth2", { mtu: 1400 })] },
      add("c1 za eth0", { at: "ADD of tuning-wrapper begins", do: "power" }),
      del("c1 za eth0", { at: "ptp: link deleted", do: "kill the plugin" }),
      add("c2 za eth0"),
      add("c1 za net1"),
      loses("c1"),
      add("c1 za net1"),
    ],
  "an ADD is cut off after it has published a port by iptables, a sibling of another list has ports, and DEL comes": [
    { za: [macvlan(1), portmap("iptables")], zb: [macvlan(2), portmap("iptables")] },
    add("c1 za eth0"),
    add("c1 zb net1", { at: "portmap: port published", do: "kill the plugin" }),
    del("c1 zb net1"),
  ],
  "one list masquerades by nftables, and one of its two attachments is deleted": [
    { za: [{ ...bridge(1), ...masqueraded, ipMasqBackend: "nftables" }] },
    add("c1 za eth0"),
    add("c1 za net1"),
    del("c1 za net1"),
  ],
  "a DEL is killed after its last plugin, an unknown one that waits for a sibling, and ADD comes": [
    { za: [macvlan(1), marks], zb: [macvlan(2), marks] },
    add("c1 za eth0"),
    add("c1 zb net1"),
    del("c1 za eth0", { at: "DEL of macvlan-wrapper begins", do: "kill" }),
    add("c1 za eth0"),
  ],
  "flannel's undo is killed, and its ADD fails because of the lease": [
    { za: [flannel, bridge(2, "eth1")] },
    add("c1 za eth0"),
    reboot,
    add("c1 za eth0", { at: "flannel: link deleted", do: "kill the plugin" }),
    del("c1 za eth0"),
  ],
  "a DEL undoes what a sibling left while that one's ADD comes": [
    {
      za: [{ ...ptp(1), wrapper: { network: "disc" }, ...masqueraded }],
      zb: [{ ...inPool(2), ...masqueraded }, chained("firewall", "eth1"), marks],
    },
    add("c1 za eth0"),
    add("c1 zb net1"),
    del("c1 zb net1"),
    {
      do: "DEL",
      of: "c1 za eth0",
      fault: {
        at: "bridge: link deleted",
        do: "go on",
        first: add("c1 zb net1", { at: "mark: marked", do: "fail the plugin" }),
      },
    },
    del("c1 zb net1"),
  ],
  "loopback stands first, and an interface with a published port is renamed between two tries": [
    {
      za: [
        { type: "loopback" },
        bridge(1, "eth1"),
        portmap("iptables", "eth1"),
        chained("tuning", "eth1", { mtu: 1400 }),
      ],
    },
    add("c1 za eth0", { at: "tuning: attributes set", do: "fail the plugin" }),
    renamed("za", "eth1", "eth2"),
    add("c1 za eth0"),
  ],
  "two names with different IPAM plugins are exchanged, and a DEL fails after it deleted the interface": [
    { za: [bridge(1), { ...bridge(2, "eth1"), ipam: { type: "dhcp", subnet: "10.2.0.0/24" } }] },
    add("c1 za eth0"),
    renamed("za", "eth1", ""),
    // The first wrapper's DEL undoes the last interface, too.
    del("c1 za eth0", { at: 3, do: "fail the plugin" }),
  ],
  "flannel's ADD fails because a sibling has its interface and its lease": [
    {
      za: [{ ...macvlan(1), wrapper: { ifName: "eth1", network: "disc" } }],
      zb: [{ ...flannel, wrapper: { ifName: "eth1", network: "disc", role: "creator" } }],
    },
    add("c1 za eth0"),
    add("c1 zb net1"),
    del("c1 zb net1"),
    del("c1 za eth0"),
  ],
  "two ADDs fail at the same time, and each finds the interface that one of them left": [
    { za: [bridge(1, "eth1")] },
    {
      do: "ADD",
      of: "c1 za net1",
      fault: { at: "spawn", do: "go on", first: add("c1 za eth0", { at: "bridge: link made", do: "fail the plugin" }) },
    },
    del("c1 za eth0"),
  ],
  "an unknown plugin waits for a sibling, and has an interface in a later namespace": [
    {
      za: [{ ...bridge(1, "eth1"), wrapper: { ifName: "eth1", network: "disc" } }],
      zb: [twin(1, { network: "disc" })],
    },
    add("c1 za eth0"),
    add("c1 zb eth1"),
    loses("c1", true),
    add("c1 zb eth1"),
    del("c1 zb eth1"),
  ],
  "the DEL of an earlier boot's attachment is killed, and a sibling has its interface now": [
    { za: [bridge(1, "eth1")], zb: [bridge(2)] },
    add("c1 zb eth1"),
    reboot,
    add("c1 za eth0"),
    del("c1 zb eth1", { at: "bridge: link deleted", do: "kill the plugin" }),
  ],
  "the namespace goes in the middle of ADD, and a plugin leaves the middle of the list": [
    { za: [ptp(1), portmap("iptables"), chained("sbr")] },
    add("c1 za eth0", { at: "ADD of portmap-wrapper begins", do: "go on", first: loses("c1") }),
    { do: "remove from the list", list: "za", plugin: 1 },
    del("c1 za eth0"),
  ],
  "an unknown plugin waits for a sibling that another runtime's GC removes": [
    { za: [macvlan(1), marks], zb: [macvlan(2), marks] },
    add("c1 za eth0"),
    add("c1 zb net1"),
    del("c1 zb net1"),
    loses("c1"),
    { do: "GC", list: "za", by: "another" },
    { do: "GC", list: "za" },
  ],
  "a namespace was lost during an ADD, and a sibling's DEL leaves an unknown plugin's file to the next ADD": [
    { za: [macvlan(1), marks] },
    add("c1 za eth1", { at: "ADD of mark-wrapper begins", do: "go on", first: loses("c1") }),
    { do: "GC", list: "za", by: "another" },
    add("c1 za eth0"),
    add("c1 za eth1", { at: 34, do: "go on", first: del("c1 za eth0") }),
  ],
  "an ADD passes beside a namespace that is still there, and a plugin has left the middle of the list": [
    { za: [withDhcp(macvlan(1)), bridge(2, "eth1"), chained("sbr", "eth1")] },
    add("c1 za eth0", { at: "sbr: rule added", do: "kill" }),
    loses("c1", true),
    { do: "remove from the list", list: "za", plugin: 1 },
    add("c1 za eth0"),
    del("c1 za eth0"),
  ],
  "an attachment that never was is deleted in two networks while a sibling's ADD comes": [
    { za: [bridge(1, "eth1")] },
    del("c1 za net1", { at: "bridge: released", do: "go on", first: add("c1 za eth0") }),
    check("c1 za eth0"),
  ],
  "a try's masquerading is removed, and a sibling's try has its interface in the present namespace": [
    { za: [{ ...bridge(1, "eth1"), ...masqueraded }] },
    add("c1 za eth0", { at: "bridge: masqueraded", do: "kill the plugin" }),
    loses("c1"),
    add("c1 za net1"),
    del("c1 za eth0"),
  ],
  "an undo is killed, and GC removes a sibling of an earlier boot": [
    { za: [bridge(1)] },
    add("c1 za net1", { at: "bridge: leased", do: "fail the plugin" }),
    reboot,
    add("c1 za eth0", { at: "bridge: leased", do: "kill the plugin" }),
    add("c1 za eth0", { at: "bridge: released", do: "kill" }),
    { do: "GC", list: "za" },
    add("c1 za eth0"),
  ],
  "the sibling that an unknown plugin waits for is deleted, and another one stands": [
    { za: [macvlan(1), marks], zb: [bridge(2), portmap("iptables")] },
    add("c1 za eth0"),
    add("c1 za net1"),
    add("c1 zb eth1"),
    del("c1 za net1", { at: "macvlan: released", do: "go on", first: del("c1 za eth0") }),
  ],
  "a masqueraded try is undone while the sibling's ADD comes that has its lease": [
    { za: [{ ...ptp(1), wrapper: { ifName: "eth1" }, ...masqueraded }] },
    add("c1 za net1"),
    reboot,
    add("c1 za eth0"),
    add("c1 za eth0", { at: 11, do: "go on", first: add("c1 za net1") }),
  ],
  "a DEL is cut off after it freed the address that another container gets from DHCP, with firewall": [
    { za: [withDhcp(macvlan(1)), chained("firewall")] },
    add("c1 za eth0"),
    del("c1 za eth0", { at: "macvlan: link deleted", do: "kill the plugin" }),
    add("c2 za eth0"),
    del("c2 za eth0"),
  ],
  "firewall's rules could not be undone, and another container has the address from DHCP by now": [
    { za: [withDhcp(macvlan(1)), chained("firewall")] },
    add("c1 za eth0"),
    loses("c1"),
    { do: "uninstall", plugin: "firewall" },
    add("c1 za eth0", { at: "macvlan: released", do: "go on", first: add("c2 za eth0") }),
    { do: "install", plugin: "firewall" },
    add("c2 za eth0"),
    del("c1 za eth0"),
  ],
  "an unknown plugin that is first in its list now fails while the attachment may be in use": [
    { za: [{ type: "loopback" }, macvlan(1), marks] },
    add("c1 za eth0", { at: "ADD of mark-wrapper begins", do: "kill" }),
    { do: "wait", minutes: 16 },
    { do: "remove from the list", list: "za", plugin: 1 },
    add("c1 za eth0"),
    del("c1 za eth0"),
  ],
  "firewall's rule for an address from DHCP that an unknown plugin of another container's try still waits with": [
    { za: [withDhcp(macvlan(1)), chained("firewall"), marks] },
    add("c1 za eth0"),
    add("c1 za net1", { at: "mark: marked", do: "kill the plugin" }),
    add("c1 za net1", { at: 40, do: "go on", first: loses("c1") }),
    add("c2 za eth0"),
    del("c2 za eth0"),
  ],
  "a stray ADD of flannel's is undone, and sbr still needs the interface": [
    { za: [flannel, chained("sbr"), portmap("nftables")] },
    add("c1 za eth0"),
    add("c1 za eth0"),
    del("c1 za eth0", { at: "DEL of sbr-wrapper begins", do: "kill" }),
    add("c1 za eth0"),
    del("c1 za eth0"),
  ],
  "a plugin with two interfaces of its own is killed when its DEL has removed one of them": [
    { za: [twin(1)] },
    // It has set both addresses.
    add("c1 za eth0", { at: 20, do: "kill" }),
    del("c1 za eth0", { at: "twin: link deleted", do: "kill the plugin" }),
    del("c1 za eth0"),
  ],
  "an attachment is deleted that never was, and a sibling's ADD publishes its ports before portmap begins": [
    { za: [bridge(1), portmap("nftables")] },
    del("c1 za net1", { at: "spawn", do: "go on", first: add("c1 za eth0") }),
  ],
  "a DEL of firewall's is repeated, and a sibling has its address by now": [
    { za: [pooled, chained("firewall")] },
    add("c1 za net1"),
    del("c1 za net1", { at: "before the result is removed", do: "kill" }),
    ...fill,
    add("c4 za eth0"),
    add("c1 za eth0"),
    del("c1 za net1"),
    check("c1 za eth0"),
  ],
  "a DEL was cut off before its result was removed, and the next ADD fails under another name": [
    { za: [bridge(1, "eth1")] },
    add("c1 za eth0"),
    renamed("za", "eth1", "eth2"),
    del("c1 za eth0", { at: "before the result is removed", do: "kill" }),
    add("c1 za eth0", { at: "bridge: address set", do: "kill" }),
    del("c1 za eth0"),
  ],
  "two stray ADDs of flannel's in another namespace, and the first one was cut off": [
    { za: [flannel] },
    add("c1 za eth0"),
    loses("c1", true),
    add("c1 za eth0", { at: "flannel: link made", do: "kill" }),
    add("c1 za eth0"),
    del("c1 za eth0"),
  ],
  "firewall's rule for an address from DHCP that a sibling of another namespace has, whose ADD failed before firewall":
    [
      {
        za: [
          { ...macvlan(1), ipam: { type: "dhcp", subnet: "10.1.0.0/24" }, wrapper: { ifName: "eth2" } },
          chained("tuning", "eth2", { promisc: true }),
          chained("firewall", "eth2"),
        ],
      },
      add("c1 za eth0"),
      { do: "uninstall", plugin: "tuning" },
      loses("c1"),
      add("c1 za net1"),
      del("c1 za eth0"),
    ],
  "a DEL without an entry fails once, and a sibling's ADD takes the name meanwhile": [
    { za: [twin(1), bridge(2, "eth1")] },
    add("c1 za net1"),
    renamed("za", "eth1", ""),
    del("c1 za net1", { at: 7, do: "fail the plugin", first: add("c1 za eth0") }),
  ],
  "a GC undoes an attachment of an earlier boot while a sibling's ADD makes the interface that it had, and the power fails":
    [
      { za: [bridge(1), macvlan(2, "eth2")] },
      add("c1 za eth1"),
      reboot,
      add("c1 za eth0", { at: "macvlan: link made", do: "power", first: { do: "GC", list: "za" } }),
      add("c1 za eth1"),
    ],
  "firewall's ADD went on after a DEL, and the next one gets an address that another container had before a reboot": [
    { za: [withDhcp(macvlan(1)), chained("firewall")] },
    add("c2 za eth0"),
    reboot,
    add("c1 za eth0", { at: "ADD of firewall-wrapper begins", do: "kill the runtime", first: del("c1 za eth0") }),
    add("c1 za eth0"),
    check("c1 za eth0"),
  ],
  "an ADD has got another address, because its own was taken, and failed later: the next one keeps the other": [
    { za: [pooled, { ...ptp(1), wrapper: { ifName: "eth1", network: "disc" } }, chained("tuning")] },
    add("c1 za eth0"),
    reboot,
    add("c1 za eth0", { at: "ADD of ptp-wrapper begins", do: "power", first: add("c2 za eth0") }),
    { do: "uninstall", plugin: "tuning" },
    add("c1 za eth0"),
    { do: "install", plugin: "tuning" },
    del("c2 za eth0"),
    add("c1 za eth0"),
  ],
  "a lease of an ADD that went on without its namespace, and the result of a sibling whose journal has gone": [
    { zb: [{ type: "ipvlan-wrapper", wrapper: {}, ...local(1) }] },
    add("c1 zb eth1", { at: "ipvlan: address set", do: "kill the runtime", first: loses("c1") }),
    renamed("zb", "eth1", ""),
    add("c1 zb eth0"),
    del("c1 zb eth0", { at: "before the result is removed", do: "go on", first: del("c1 zb eth1") }),
  ],
  "a GC undoes an ADD that was cut off while a sibling's ADD makes the interface that it had, and its namespace goes": [
    { za: [bridge(1), { ...local(2), type: "ipvlan-wrapper", wrapper: { ifName: "eth2" } }] },
    add("c1 za net1", { at: "ipvlan: address set", do: "kill" }),
    loses("c1"),
    add("c1 za eth0", { at: "ipvlan: link made", do: "kill the plugin", first: { do: "GC", list: "za" } }),
    loses("c1"),
    add("c1 za net1"),
  ],
  "a DEL leaves a lease to a sibling's ADD that is refused right then": [
    { za: [macvlan(9), ptp(1, "eth1")] },
    add("c1 za net1"),
    add("c1 za eth0", { at: 41, do: "go on", first: del("c1 za net1") }),
    del("c1 za eth0"),
  ],
  "portmap was killed after it had published a port, and DHCP gives another address: a sibling's namespace is gone": [
    {
      za: [{ type: "macvlan-wrapper", ipam: { type: "dhcp", subnet: "10.1.0.0/24" } }, portmap("nftables")],
      zb: [macvlan(2), portmap("nftables")],
    },
    add("c1 za eth0"),
    add("c2 zb eth0"),
    loses("c2"),
    add("c2 za net1", { at: "portmap: port published", do: "kill the plugin" }),
    del("c1 za eth0"),
    add("c2 za net1"),
  ],
  "GC removes an attachment that failed after a reboot, and another container's that has its address from DHCP since": [
    { za: [withDhcp(ptp(1)), chained("firewall")] },
    add("c2 za eth0"),
    reboot,
    add("c1 za eth0"),
    add("c2 za eth0", { at: "ptp: leased", do: "fail the plugin" }),
    loses("c2"),
    loses("c1"),
    { do: "GC", list: "za", by: "another" },
  ],
  "an ADD failed because a sibling's try had its interface, and is undone while that one's ADD comes, with masquerading":
    [
      { za: [bridge(1), { ...bridge(2, "eth1"), ...masqueraded }] },
      add("c1 za net1", { at: "bridge: masqueraded", do: "kill the plugin" }),
      add("c1 za eth0"),
      add("c1 za eth0", { at: "spawn", do: "go on", first: add("c1 za net1") }),
    ],
  "a DEL fails after it freed its lease, a sibling's ADD masquerades meanwhile, and the second DEL leaves the rules": [
    {
      za: [
        { ...ptp(1), wrapper: { ifName: "eth1" }, ...masqueraded },
        { ...ptp(2), wrapper: { ifName: "eth2", network: "disc" } },
      ],
    },
    add("c1 za eth0"),
    loses("c1"),
    del("c1 za eth0", { at: 2, do: "fail the plugin", first: add("c1 za net1") }),
  ],
  "a plugin with two interfaces of its own is killed when its DEL has removed one of them, and a sibling takes the name":
    [
      { za: [bridge(1), twin(2, { ifName: "eth2" })], zb: [bridge(3, "eth2")] },
      add("c1 za eth0"),
      del("c1 za eth0", { at: 2, do: "kill the plugin", first: add("c1 zb net1") }),
    ],
  "the DEL of a failed ADD was killed after it deleted the interface, and a sibling's ADD fails that makes one of that name":
    [
      { za: [bridge(1), chained("sbr")], zb: [bridge(2)] },
      add("c1 za eth1", { at: "sbr: rule added", do: "kill the plugin" }),
      del("c1 za eth1", { at: "bridge: link deleted", do: "kill the plugin" }),
      add("c1 zb eth1", { at: "bridge: leased", do: "kill the plugin" }),
      del("c1 zb eth1"),
    ],
  "the namespace is gone, a task runs in another container's with its inode, and an edited list is attached again": [
    { za: [bridge(1, "eth1"), portmap("iptables", "eth1")] },
    add("c2 za eth0"),
    loses("c2"),
    add("c1 za net1"),
    renamed("za", "eth1", ""),
    loses("c1", true),
    add("c2 za eth0"),
  ],
  "an attachment is deleted that never was while a sibling's ADD makes its interface": [
    { za: [macvlan(1), macvlan(2, "eth2")] },
    add("c1 za eth0", { at: 0, do: "kill" }),
    del("c1 za eth0", { at: 7, do: "go on", first: add("c1 za net1") }),
  ],
  "an attachment of zb is deleted that never was while za's ADD makes its limits": [
    { za: [ptp(1), chained("bandwidth")], zb: [ptp(2), chained("bandwidth")] },
    { do: "DEL", of: "c1 zb eth0", fault: { at: 9, do: "kill the runtime", first: add("c1 za eth1") } },
    check("c1 za eth1"),
  ],
  "an unknown plugin's try is undone while a plain sibling makes eth1 again": [
    { za: [{ ...flannel, wrapper: { ifName: "eth1", role: "creator" } }], zc: [{ ...macvlan(3), type: "macvlan" }] },
    add("c1 zc eth1"),
    add("c1 za eth0", { at: "bridge: leased", do: "fail the plugin" }),
    del("c1 zc eth1"),
    add("c1 za eth0", { at: "spawn", do: "go on", first: add("c1 zc eth1") }),
  ],
  "a DEL is killed before it removed anything, an interface was renamed in the list, and ADD comes": [
    { za: [bridge(1), portmap("iptables"), chained("tuning", undefined, { allmulti: true })] },
    add("c1 za net1"),
    renamed("za", "eth1", ""),
    del("c1 za net1", { at: 7, do: "kill" }),
    add("c1 za net1"),
  ],
  "a sibling has the lease in a namespace where a task runs, and an ADD fails after an edit in the next one": [
    { za: [macvlan(1), bridge(2, "eth1")] },
    add("c1 za net1"),
    loses("c1", true),
    add("c1 za eth0", { at: "macvlan: link made", do: "kill" }),
    renamed("za", "eth1", ""),
    add("c1 za eth0", { at: "macvlan: reserved", do: "fail the plugin" }),
  ],
  ...Object.fromEntries(
    [[], [add("c1 za net1")]].map((sibling) => [
      `a plugin is killed in DEL, the plain list attaches the container again, and is wrapped when DEL comes: ${sibling.length} siblings`,
      [
        { za: [macvlan(1), portmap("nftables"), chained("firewall"), unknown] },
        add("c1 za eth0"),
        ...sibling,
        del("c1 za eth0", { at: "macvlan: link deleted", do: "kill the plugin" }),
        { do: "unwrap", list: "za" },
        add("c1 za eth0"),
        { do: "wrap", list: "za" },
        del("c1 za eth0"),
      ],
    ]),
  ),
};
