import { casesOf, type LeftOut, type SurfaceCase } from "./case.ts";
import { everyPlugin, leftOutOfEvery } from "./every-plugin.ts";

// The options of macvlan: plugins/main/macvlan/macvlan.go, NetConf and MacEnvArgs.

const defaultRoute = "ip address add 172.16.5.250/24 dev uplink0; ip route add default via 172.16.5.1";
const insideMaster = "ip -n c1 link add inner0 type veth peer name inner1; ip -n c1 link set inner0 up mtu 1450";

export const cases: readonly SurfaceCase[] = [
  ...everyPlugin,
  ...casesOf({
    "dns.nameservers": { one: { config: { dns: { nameservers: ["172.16.5.1"] } } } },
    "dns.domain": { "a name": { config: { dns: { domain: "example.org" } } } },
    "dns.search": { "two names": { config: { dns: { search: ["a.example.org", "b.example.org"] } } } },
    "dns.options": { two: { config: { dns: { options: ["ndots:2", "rotate"] } } } },
    "ipam.type": { none: { config: { ipam: undefined } } },
    master: {
      another: { config: { master: "uplink1" } },
      "that of the default route": {
        config: { master: undefined },
        before: defaultRoute,
        unseen: "it is the same one",
      },
      missing: { config: { master: "missing0" }, fails: "Link not found" },
    },
    mode: {
      bridge: { config: { mode: "bridge" }, unseen: "it is the default" },
      private: { config: { mode: "private" } },
      vepa: { config: { mode: "vepa" } },
      passthru: { config: { mode: "passthru" } },
    },
    mtu: {
      "1400": { config: { mtu: 1400 } },
      "above the master's": { config: { mtu: 9000 }, fails: "invalid MTU 9000, must be [0, master MTU(1500)]" },
    },
    mac: {
      "a MAC": { config: { mac: "02:00:00:00:00:77" } },
      "under that of CNI_ARGS": { config: { mac: "02:00:00:00:00:77" }, args: "IgnoreUnknown=1;MAC=02:00:00:00:00:78" },
    },
    linkInContainer: {
      true: { config: { linkInContainer: true, master: "inner0" }, before: insideMaster },
      "true, master not in it": { config: { linkInContainer: true }, fails: "Link not found" },
    },
    bcqueuelen: { "500": { config: { bcqueuelen: 500 } } },
    prevResult: {
      "no interfaces": { recall: "no interfaces", fails: "doesn't match configured netns" },
      "another MAC, without ipam": { config: { ipam: undefined }, recall: "another MAC", fails: "Mac" },
    },
  }),
];

export const leftOut: readonly LeftOut[] = leftOutOfEvery("macvlan");
