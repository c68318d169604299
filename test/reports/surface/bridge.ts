import type { LeftOut, SurfaceCase } from "./case.ts";
import { dualStack, everyPlugin, leftOutOfEvery } from "./every-plugin.ts";

// The options of bridge: plugins/main/bridge/bridge.go, NetConf and MacEnvArgs.

const noAddress = { ipam: undefined, isGateway: undefined } as const;
// With a VLAN and a gateway it has two ports. A bridge without a MAC of its own takes the lower one of theirs.
const filtering = "ip link add disc0 address 02:00:00:00:00:76 type bridge vlan_filtering 1";
const addressed = "ip link add disc0 type bridge; ip address add 172.26.99.1/20 dev disc0";

export const cases: readonly SurfaceCase[] = [
  ...everyPlugin,
  { option: "dns.nameservers", value: "over those of ipam", config: { dns: { nameservers: ["172.26.64.9"] } } },
  { option: "dns.domain", value: "a name", config: { dns: { domain: "example.org" } } },
  { option: "dns.search", value: "two names", config: { dns: { search: ["a.example.org", "b.example.org"] } } },
  { option: "dns.options", value: "two", config: { dns: { options: ["ndots:2", "rotate"] } } },
  { option: "ipam.type", value: "none", config: noAddress },

  { option: "bridge", value: "another", config: { bridge: "hbr2" } },
  { option: "bridge", value: "the default", config: { bridge: undefined } },
  {
    option: "bridge",
    value: "one that is there",
    config: { bridge: "disc0" },
    before: "ip link add disc0 type bridge",
    unseen: "it is as the plugin would make it",
  },
  { option: "bridge", value: "a number", config: { bridge: 5 }, fails: "cannot unmarshal number" },
  { option: "isGateway", value: "false", config: { isGateway: false } },
  { option: "isDefaultGateway", value: "true", config: { isDefaultGateway: true } },
  { option: "isDefaultGateway", value: "true, IPv4 and IPv6", config: { isDefaultGateway: true, ipam: dualStack } },
  { option: "isDefaultGateway", value: "true, isGateway false", config: { isGateway: false, isDefaultGateway: true } },
  { option: "forceAddress", value: "true, another address there", config: { forceAddress: true }, before: addressed },
  {
    option: "forceAddress",
    value: "false, another address there",
    config: { forceAddress: false },
    before: addressed,
    fails: "already has an IP address different from",
  },
  { option: "ipMasq", value: "true", config: { ipMasq: true } },
  { option: "ipMasq", value: "true, IPv4 and IPv6", config: { ipMasq: true, ipam: dualStack } },
  { option: "ipMasqBackend", value: "iptables", config: { ipMasq: true, ipMasqBackend: "iptables" } },
  { option: "ipMasqBackend", value: "nftables", config: { ipMasq: true, ipMasqBackend: "nftables", ipam: dualStack } },
  { option: "mtu", value: "1400", config: { mtu: 1400 } },
  { option: "mtu", value: "negative", config: { mtu: -1 }, unseen: "bridge passes it over" },
  { option: "hairpinMode", value: "true", config: { hairpinMode: true } },
  { option: "promiscMode", value: "true", config: { promiscMode: true } },
  {
    option: "vlan",
    value: "5",
    config: { vlan: 5, isGateway: false },
    needs: "bridgeVlanFiltering",
  },
  {
    option: "vlan",
    value: "5, with isGateway",
    config: { vlan: 5 },
    before: filtering,
    needs: "bridgeVlanFiltering",
    allowed: "order",
  },
  {
    option: "vlanTrunk.minID",
    value: "101 to 103",
    config: { vlanTrunk: [{ minID: 101, maxID: 103 }] },
    needs: "bridgeVlanFiltering",
  },
  {
    option: "vlanTrunk.maxID",
    value: "101 to 103, with vlan 5",
    config: { vlan: 5, vlanTrunk: [{ minID: 101, maxID: 103 }] },
    before: filtering,
    needs: "bridgeVlanFiltering",
    allowed: "order",
  },
  {
    option: "vlanTrunk.id",
    value: "101 and 102",
    config: { vlanTrunk: [{ id: 101 }, { id: 102 }] },
    needs: "bridgeVlanFiltering",
  },
  {
    option: "preserveDefaultVlan",
    value: "true",
    config: { vlan: 5, preserveDefaultVlan: true },
    before: filtering,
    needs: "bridgeVlanFiltering",
    allowed: "order",
  },
  { option: "macspoofchk", value: "true", config: { macspoofchk: true } },
  {
    option: "macspoofchk",
    value: "true, with a MAC",
    config: { macspoofchk: true, runtimeConfig: { mac: "02:00:00:00:00:77" } },
  },
  { option: "enabledad", value: "true", config: { enabledad: true, ipam: dualStack } },
  {
    option: "disableContainerInterface",
    value: "true",
    config: { ...noAddress, disableContainerInterface: true },
  },
  {
    option: "disableContainerInterface",
    value: "true, with ipam",
    config: { disableContainerInterface: true },
    fails: "cannot use IPAM when DisableContainerInterface",
  },
  { option: "portIsolation", value: "true", config: { portIsolation: true } },
  { option: "args.cni.mac", value: "a MAC", config: { args: { cni: { mac: "02:00:00:00:00:77" } } } },
  {
    option: "args.cni.mac",
    value: "over that of CNI_ARGS",
    config: { args: { cni: { mac: "02:00:00:00:00:77" } } },
    args: "MAC=02:00:00:00:00:76;IgnoreUnknown=1",
  },
  {
    option: "runtimeConfig.mac",
    value: "over that of args",
    config: { args: { cni: { mac: "02:00:00:00:00:77" } }, runtimeConfig: { mac: "02:00:00:00:00:78" } },
  },
  { option: "prevResult", value: "no interfaces", recall: "no interfaces", fails: "Interface name missing" },
  {
    option: "prevResult",
    value: "another MAC of the bridge",
    // Only a MAC that was set before ADD is compared.
    before: "ip link add disc0 address 02:00:00:00:00:01 type bridge",
    recall: "another MAC of the bridge",
    fails: "Bridge interface disc0 Mac doesn't match",
  },
  {
    option: "prevResult",
    value: "another MAC of a bridge that has no address",
    config: { isGateway: false },
    recall: "another MAC of the bridge",
    allowed: "floating MAC",
    fails: "Bridge interface disc0 Mac doesn't match",
  },
  {
    option: "prevResult",
    value: "another MAC, without ipam",
    config: noAddress,
    recall: "another MAC",
    fails: "doesn't match container Mac",
  },
];

export const leftOut: readonly LeftOut[] = leftOutOfEvery("bridge");
