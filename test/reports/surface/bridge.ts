import { casesOf, type LeftOut, type SurfaceCase } from "./case.ts";
import { dualStack, everyPlugin, leftOutOfEvery } from "./every-plugin.ts";

// The options of bridge: plugins/main/bridge/bridge.go, NetConf and MacEnvArgs.

const noAddress = { ipam: undefined, isGateway: undefined } as const;
// With a VLAN and a gateway it has two ports. A bridge without a MAC of its own takes the lower one of theirs.
const filtering = "ip link add disc0 address 02:00:00:00:00:76 type bridge vlan_filtering 1";
const addressed = "ip link add disc0 type bridge; ip address add 172.26.99.1/20 dev disc0";

export const cases: readonly SurfaceCase[] = [
  ...everyPlugin,
  ...casesOf({
    "dns.nameservers": { "over those of ipam": { config: { dns: { nameservers: ["172.26.64.9"] } } } },
    "dns.domain": { "a name": { config: { dns: { domain: "example.org" } } } },
    "dns.search": { "two names": { config: { dns: { search: ["a.example.org", "b.example.org"] } } } },
    "dns.options": { two: { config: { dns: { options: ["ndots:2", "rotate"] } } } },
    "ipam.type": { none: { config: noAddress } },
    bridge: {
      another: { config: { bridge: "hbr2" } },
      "the default": { config: { bridge: undefined } },
      "one that is there": {
        config: { bridge: "disc0" },
        before: "ip link add disc0 type bridge",
        unseen: "it is as the plugin would make it",
      },
      "a number": { config: { bridge: 5 }, fails: "cannot unmarshal number" },
    },
    isGateway: { false: { config: { isGateway: false } } },
    isDefaultGateway: {
      true: { config: { isDefaultGateway: true } },
      "true, IPv4 and IPv6": { config: { isDefaultGateway: true, ipam: dualStack } },
      "true, isGateway false": { config: { isGateway: false, isDefaultGateway: true } },
    },
    forceAddress: {
      "true, another address there": { config: { forceAddress: true }, before: addressed },
      "false, another address there": {
        config: { forceAddress: false },
        before: addressed,
        fails: "already has an IP address different from",
      },
    },
    ipMasq: {
      true: { config: { ipMasq: true } },
      "true, IPv4 and IPv6": { config: { ipMasq: true, ipam: dualStack } },
    },
    ipMasqBackend: {
      iptables: { config: { ipMasq: true, ipMasqBackend: "iptables" } },
      nftables: { config: { ipMasq: true, ipMasqBackend: "nftables", ipam: dualStack } },
    },
    mtu: { "1400": { config: { mtu: 1400 } }, negative: { config: { mtu: -1 }, unseen: "bridge passes it over" } },
    hairpinMode: { true: { config: { hairpinMode: true } } },
    promiscMode: { true: { config: { promiscMode: true } } },
    vlan: {
      "5": { config: { vlan: 5, isGateway: false }, needs: "bridgeVlanFiltering" },
      "5, with isGateway": { config: { vlan: 5 }, before: filtering, needs: "bridgeVlanFiltering", allowed: "order" },
    },
    "vlanTrunk.minID": {
      "101 to 103": { config: { vlanTrunk: [{ minID: 101, maxID: 103 }] }, needs: "bridgeVlanFiltering" },
    },
    "vlanTrunk.maxID": {
      "101 to 103, with vlan 5": {
        config: { vlan: 5, vlanTrunk: [{ minID: 101, maxID: 103 }] },
        before: filtering,
        needs: "bridgeVlanFiltering",
        allowed: "order",
      },
    },
    "vlanTrunk.id": {
      "101 and 102": { config: { vlanTrunk: [{ id: 101 }, { id: 102 }] }, needs: "bridgeVlanFiltering" },
    },
    preserveDefaultVlan: {
      true: {
        config: { vlan: 5, preserveDefaultVlan: true },
        before: filtering,
        needs: "bridgeVlanFiltering",
        allowed: "order",
      },
    },
    macspoofchk: {
      true: { config: { macspoofchk: true } },
      "true, with a MAC": { config: { macspoofchk: true, runtimeConfig: { mac: "02:00:00:00:00:77" } } },
    },
    enabledad: { true: { config: { enabledad: true, ipam: dualStack } } },
    disableContainerInterface: {
      true: { config: { ...noAddress, disableContainerInterface: true } },
      "true, with ipam": {
        config: { disableContainerInterface: true },
        fails: "cannot use IPAM when DisableContainerInterface",
      },
    },
    portIsolation: { true: { config: { portIsolation: true } } },
    "args.cni.mac": {
      "a MAC": { config: { args: { cni: { mac: "02:00:00:00:00:77" } } } },
      "over that of CNI_ARGS": {
        config: { args: { cni: { mac: "02:00:00:00:00:77" } } },
        args: "MAC=02:00:00:00:00:76;IgnoreUnknown=1",
      },
    },
    "runtimeConfig.mac": {
      "over that of args": {
        config: { args: { cni: { mac: "02:00:00:00:00:77" } }, runtimeConfig: { mac: "02:00:00:00:00:78" } },
      },
    },
    prevResult: {
      "no interfaces": { recall: "no interfaces", fails: "Interface name missing" },
      "another MAC of the bridge": {
        // Only a MAC that was set before ADD is compared.
        before: "ip link add disc0 address 02:00:00:00:00:01 type bridge",
        recall: "another MAC of the bridge",
        fails: "Bridge interface disc0 Mac doesn't match",
      },
      "another MAC of a bridge that has no address": {
        config: { isGateway: false },
        recall: "another MAC of the bridge",
        allowed: "floating MAC",
        fails: "Bridge interface disc0 Mac doesn't match",
      },
      "another MAC, without ipam": { config: noAddress, recall: "another MAC", fails: "doesn't match container Mac" },
    },
  }),
];

export const leftOut: readonly LeftOut[] = leftOutOfEvery("bridge");
