import type { LeftOut, SurfaceCase } from "./case.ts";
import { everyPlugin, leftOutOfEvery } from "./every-plugin.ts";

// The options of macvlan: plugins/main/macvlan/macvlan.go, NetConf and MacEnvArgs.

const defaultRoute = "ip address add 172.16.5.250/24 dev uplink0; ip route add default via 172.16.5.1";
const insideMaster = "ip -n c1 link add inner0 type veth peer name inner1; ip -n c1 link set inner0 up mtu 1450";

export const cases: readonly SurfaceCase[] = [
  ...everyPlugin,
  { option: "dns.nameservers", value: "one", config: { dns: { nameservers: ["172.16.5.1"] } } },
  { option: "dns.domain", value: "a name", config: { dns: { domain: "example.org" } } },
  { option: "dns.search", value: "two names", config: { dns: { search: ["a.example.org", "b.example.org"] } } },
  { option: "dns.options", value: "two", config: { dns: { options: ["ndots:2", "rotate"] } } },
  { option: "ipam.type", value: "none", config: { ipam: undefined } },

  { option: "master", value: "another", config: { master: "uplink1" } },
  {
    option: "master",
    value: "that of the default route",
    config: { master: undefined },
    before: defaultRoute,
    unseen: "it is the same one",
  },
  { option: "master", value: "missing", config: { master: "missing0" }, fails: "Link not found" },
  { option: "mode", value: "bridge", config: { mode: "bridge" }, unseen: "it is the default" },
  { option: "mode", value: "private", config: { mode: "private" } },
  { option: "mode", value: "vepa", config: { mode: "vepa" } },
  { option: "mode", value: "passthru", config: { mode: "passthru" } },
  { option: "mtu", value: "1400", config: { mtu: 1400 } },
  {
    option: "mtu",
    value: "above the master's",
    config: { mtu: 9000 },
    fails: "invalid MTU 9000, must be [0, master MTU(1500)]",
  },
  { option: "mac", value: "a MAC", config: { mac: "02:00:00:00:00:77" } },
  {
    option: "mac",
    value: "under that of CNI_ARGS",
    config: { mac: "02:00:00:00:00:77" },
    args: "IgnoreUnknown=1;MAC=02:00:00:00:00:78",
  },
  {
    option: "linkInContainer",
    value: "true",
    config: { linkInContainer: true, master: "inner0" },
    before: insideMaster,
  },
  {
    option: "linkInContainer",
    value: "true, master not in it",
    config: { linkInContainer: true },
    fails: "Link not found",
  },
  { option: "bcqueuelen", value: "500", config: { bcqueuelen: 500 } },
  { option: "prevResult", value: "no interfaces", recall: "no interfaces", fails: "doesn't match configured netns" },
  {
    option: "prevResult",
    value: "another MAC, without ipam",
    config: { ipam: undefined },
    recall: "another MAC",
    fails: "Mac",
  },
];

export const leftOut: readonly LeftOut[] = leftOutOfEvery("macvlan");
