import fc from "fast-check";
import type { Json } from "../case.ts";
import { ipam, mac, routes } from "./ipam.ts";
import { keys, oneOf, rarely } from "./values.ts";

/** A plugin whose generated calls are compared: its configurations, and the state of the host before them. */
export interface GeneratedPlugin {
  readonly name: "bridge" | "macvlan" | "ptp" | "portmap" | "tuning";
  /** A chained plugin gets the result of a plain bridge as prevResult. */
  readonly isChained: boolean;
  readonly config: fc.Arbitrary<Json>;
  readonly host: fc.Arbitrary<string>;
}

const boolean = rarely<unknown>(fc.boolean(), oneOf<unknown>("yes", 1, null), 30);
const mtu = rarely<unknown>(oneOf(1280, 1400, 1500), oneOf<unknown>(-1, 0, 68, 70_000, 1400.5, "1400"), 4);
const backend = rarely<unknown>(oneOf("iptables", "nftables"), oneOf<unknown>("pf", "", 5), 8);
const bridges = [
  "ip link add disc0 type bridge",
  "ip link add disc0 type bridge; ip address add 172.26.99.1/20 dev disc0",
];

/** The keys that libcni and runtimes pass to each plugin, and keys that no plugin knows. */
const shared = {
  name: rarely<unknown>(fc.constant("zone"), oneOf<unknown>("back-bone.1", "", "a/b", undefined, 5), 25),
  capabilities: oneOf({ mac: true }, { portMappings: true, ips: true }),
  args: rarely<unknown>(
    fc.record({ cni: keys({ mac, ips: oneOf(["172.26.64.9"], ["no address"]) }) }),
    oneOf<unknown>({}, [], "a"),
    6,
  ),
  unknown: fc.jsonValue({ maxDepth: 3 }),
  Name: oneOf("other"),
};
const dns = keys({
  nameservers: oneOf(["172.26.64.53"], [], ["no address"]),
  domain: oneOf("example.org"),
  search: oneOf(["a.example.org", "b.example.org"]),
  options: oneOf(["ndots:2"]),
});
const runtimeConfig = keys({ mac, ips: oneOf(["172.26.64.9/20"], ["172.26.64.10"], ["fd00:26::9/64"]) });

function creator(
  name: "bridge" | "macvlan" | "ptp",
  base: Json,
  own: Parameters<typeof keys>[0],
  hosts: readonly string[],
) {
  const config = fc
    .tuple(
      keys({ ...shared, dns, runtimeConfig, ...own }),
      rarely<Json>(
        ipam.map((value) => ({ ipam: value })),
        fc.constant({}),
        20,
      ),
    )
    .map(([some, addresses]) => ({ name: "zone", ...base, ...addresses, ...some }));
  return { name, isChained: false, config, host: oneOf("", "", ...hosts) };
}

function chained(name: "portmap" | "tuning", own: Parameters<typeof keys>[0]) {
  const config = keys({ ...shared, ...own }).map((some) => ({ name: "zone", ...some }));
  return { name, isChained: true, config, host: fc.constant("") };
}

const port = rarely<unknown>(fc.integer({ min: 1, max: 65_535 }), oneOf<unknown>(0, -1, 70_000, "80"), 15);
const mapping = fc.record(
  {
    hostPort: port,
    containerPort: port,
    protocol: rarely(oneOf("tcp", "udp"), oneOf("sctp", "TCP", "icmp", ""), 5),
    hostIP: oneOf("127.0.0.1", "172.26.64.1", "::1", "nonsense", "0.0.0.0"),
  },
  { requiredKeys: ["hostPort", "containerPort", "protocol"] },
);
const sysctl = rarely<unknown>(
  oneOf(
    { "net.ipv4.conf.IFNAME.arp_filter": "1" },
    { "net.ipv4.conf.eth0.rp_filter": "2" },
    { "net/ipv4/conf/IFNAME/log_martians": "1" },
    { "net.core.somaxconn": "500" },
  ),
  oneOf<unknown>({ "kernel.hostname": "x" }, { "net.ipv4.no_such_key": "1" }, {}, [], { "net.core.somaxconn": 500 }),
  3,
);

/** The plugins, and every option of each that a lab's kernel can show. */
export const generatedPlugins: readonly GeneratedPlugin[] = [
  creator(
    "bridge",
    { bridge: "disc0", isGateway: true },
    {
      bridge: rarely<unknown>(oneOf("disc0", "hbr2"), oneOf<unknown>("uplink1", "sixteen-bytes-00", 5, ""), 4),
      isGateway: boolean,
      isDefaultGateway: boolean,
      forceAddress: boolean,
      ipMasq: boolean,
      ipMasqBackend: backend,
      mtu,
      hairpinMode: boolean,
      promiscMode: boolean,
      macspoofchk: boolean,
      portIsolation: boolean,
      disableContainerInterface: rarely<unknown>(fc.constant(false), fc.constant(true), 3),
      vlan: oneOf<unknown>(0, -1, 4095, "5"),
    },
    bridges,
  ),
  creator(
    "macvlan",
    { master: "uplink0" },
    {
      master: rarely<unknown>(oneOf("uplink0", "uplink1"), oneOf<unknown>("missing0", "", 5), 4),
      mode: rarely<unknown>(oneOf("bridge", "private", "vepa", "passthru"), oneOf<unknown>("router", 5), 8),
      mtu,
      mac,
      linkInContainer: boolean,
      bcqueuelen: rarely<unknown>(oneOf(100, 1000), oneOf<unknown>(-1, "100"), 4),
    },
    ["ip link set uplink0 mtu 1400"],
  ),
  creator("ptp", {}, { ipMasq: boolean, ipMasqBackend: backend, mtu, routes }, []),
  chained("portmap", {
    backend,
    snat: boolean,
    masqAll: boolean,
    conditionsV4: oneOf<unknown>(["-s", "10.0.0.0/8"], [], ["!", "-d", "192.0.2.0/24"], ["--nonsense"], "a"),
    conditionsV6: oneOf<unknown>(["-s", "fd00::/8"], []),
    markMasqBit: oneOf<unknown>(0, 13, 31, 32, -1, "a"),
    externalSetMarkChain: oneOf<unknown>("KUBE-MARK-MASQ", "PLEASE-MARK", 5),
    runtimeConfig: fc.record({ portMappings: fc.array(mapping, { minLength: 1, maxLength: 4 }) }),
  }),
  chained("tuning", {
    sysctl,
    mac,
    promisc: boolean,
    mtu,
    txQLen: rarely<unknown>(oneOf(0, 500, 1000), oneOf<unknown>(-1, "1"), 4),
    allmulti: boolean,
    dataDir: oneOf("/run/cni/tuning", "/var/lib/cni/tuning"),
    runtimeConfig: keys({ mac }),
    args: fc.record({ cni: keys({ mac, sysctl, mtu, promisc: boolean, txQLen: oneOf(700), allmulti: boolean }) }),
  }),
];
