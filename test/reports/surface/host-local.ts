import type { Json, LeftOut, SurfaceCase } from "./case.ts";
import { dualStack, hostLocal } from "./every-plugin.ts";

// The options of host-local behind bridge: plugins/ipam/host-local/backend/allocator/config.go, Net and IPAMEnvArgs.

const subnet = "172.26.64.0/20";
const two = hostLocal(subnet, "172.27.0.0/24");

/** One range with the subnet and more keys. */
function range(more: Json): Json {
  return { ipam: { type: "host-local", ranges: [[{ subnet, ...more }]] } };
}

/** The older way to write one range. */
function single(more: Json): Json {
  return { ipam: { type: "host-local", subnet, ...more } };
}

function route(more: Json): Json {
  return { ipam: { ...hostLocal(subnet), routes: [{ dst: "10.99.0.0/16", ...more }] } };
}

function asked(more: Json): Json {
  return { runtimeConfig: { ipRanges: [[{ subnet: "172.28.0.0/24", ...more }]] } };
}

export const cases: readonly SurfaceCase[] = [
  { option: "name", value: "another network", config: { name: "backbone" } },
  { option: "ipam.ranges.subnet", value: "IPv6", config: { ipam: hostLocal("fd00:26::/64") } },
  { option: "ipam.ranges.subnet", value: "IPv4 and IPv6", config: { ipam: dualStack } },
  {
    option: "ipam.ranges.subnet",
    value: "two of IPv4",
    config: { ipam: two, isGateway: undefined },
  },
  {
    option: "ipam.ranges.subnet",
    value: "two of IPv4, with isGateway",
    config: { ipam: two },
    fails: "already has an IP address different from",
  },
  {
    option: "ipam.ranges.subnet",
    value: "two in one set, the first used up",
    config: {
      ipam: { type: "host-local", ranges: [[{ subnet: "172.27.0.0/30" }, { subnet, rangeStart: "172.26.64.50" }]] },
    },
    before: "mkdir -p /var/lib/cni/networks/zone; printf 'other\\r\\neth0' >/var/lib/cni/networks/zone/172.27.0.2",
  },
  {
    option: "ipam.ranges.subnet",
    value: "too small",
    config: { ipam: hostLocal("172.26.64.0/32") },
    fails: "too small to allocate from",
  },
  { option: "ipam.ranges.rangeStart", value: "inside", config: range({ rangeStart: "172.26.64.100" }) },
  {
    option: "ipam.ranges.rangeEnd",
    value: "one address",
    config: range({ rangeStart: "172.26.64.100", rangeEnd: "172.26.64.100" }),
  },
  { option: "ipam.ranges.gateway", value: "the last address", config: range({ gateway: "172.26.79.254" }) },
  { option: "ipam.subnet", value: "alone", config: single({}), unseen: "it is the older way to write the same" },
  { option: "ipam.rangeStart", value: "inside", config: single({ rangeStart: "172.26.64.100" }) },
  {
    option: "ipam.rangeEnd",
    value: "one address",
    config: single({ rangeStart: "172.26.64.100", rangeEnd: "172.26.64.100" }),
  },
  { option: "ipam.gateway", value: "the last address", config: single({ gateway: "172.26.79.254" }) },
  { option: "ipam.type", value: "host-local, as in every other case", config: { ipam: hostLocal("172.29.0.0/24") } },
  {
    option: "ipam.routes.dst",
    value: "the default routes",
    config: { ipam: { ...dualStack, routes: [{ dst: "0.0.0.0/0" }, { dst: "::/0" }] } },
  },
  { option: "ipam.routes.gw", value: "an address", config: route({ gw: "172.26.64.7" }) },
  { option: "ipam.routes.gw", value: "out of reach", config: route({ gw: "10.7.7.7" }), fails: "failed to add route" },
  { option: "ipam.routes.mtu", value: "1300", config: route({ mtu: 1300 }) },
  { option: "ipam.routes.advmss", value: "1200", config: route({ advmss: 1200 }) },
  { option: "ipam.routes.priority", value: "50", config: route({ priority: 50 }) },
  {
    option: "ipam.routes.table",
    value: "100",
    config: route({ table: 100 }),
    fails: "Expected Route",
    allowed: "other table",
  },
  { option: "ipam.routes.scope", value: "universe", config: route({ scope: 0 }) },
  { option: "ipam.dataDir", value: "another", config: { ipam: { ...hostLocal(subnet), dataDir: "/run/cni" } } },
  {
    option: "ipam.resolvConf",
    value: "a file",
    config: { ipam: { ...hostLocal(subnet), resolvConf: "/run/resolv.conf" } },
    before: "printf 'nameserver 10.0.0.53\\nsearch example.org\\noptions ndots:3\\n' >/run/resolv.conf",
  },
  {
    option: "runtimeConfig.ipRanges.subnet",
    value: "before ipam's own",
    config: { ...asked({}), isGateway: undefined },
  },
  {
    option: "runtimeConfig.ipRanges.rangeStart",
    value: "inside",
    config: { ...asked({ rangeStart: "172.28.0.100" }), ipam: hostLocal() },
  },
  {
    option: "runtimeConfig.ipRanges.rangeEnd",
    value: "outside",
    config: asked({ rangeEnd: "10.0.0.1" }),
    fails: "RangeEnd 10.0.0.1 not in network",
  },
  {
    option: "runtimeConfig.ipRanges.gateway",
    value: "the last address",
    config: { ...asked({ gateway: "172.28.0.254" }), ipam: hostLocal() },
  },
  { option: "runtimeConfig.ips", value: "an address", config: { runtimeConfig: { ips: ["172.26.64.77"] } } },
  {
    option: "runtimeConfig.ips",
    value: "one of IPv4, one of IPv6",
    config: { ipam: dualStack, runtimeConfig: { ips: ["172.26.64.77", "fd00:26::77"] } },
  },
  {
    option: "runtimeConfig.ips",
    value: "outside",
    config: { runtimeConfig: { ips: ["10.1.2.3"] } },
    fails: "failed to allocate all requested IPs: 10.1.2.3",
  },
  { option: "args.cni.ips", value: "an address", config: { args: { cni: { ips: ["172.26.64.77"] } } } },
  { option: "CNI_ARGS.IP", value: "an address", args: "IgnoreUnknown=1;IP=172.26.64.77" },
  {
    option: "CNI_ARGS.IP",
    value: "the gateway's",
    args: "IgnoreUnknown=1;IP=172.26.64.1",
    fails: "requested ip 172.26.64.1 is subnet's gateway",
  },
  { option: "CNI_ARGS.IP", value: "no address", args: "IgnoreUnknown=1;IP=nonsense", fails: "nonsense" },
  {
    option: "CNI_ARGS.IgnoreUnknown",
    value: "true, an unknown argument",
    args: "IgnoreUnknown=1;NOMAD_JOB_ID=web",
    unseen: "the argument that is not known means nothing",
  },
];

/** macvlan's results carry the same addresses. */
export const macvlanCases: readonly SurfaceCase[] = [
  {
    option: "ipam.ranges.subnet",
    value: "IPv4 and IPv6, for macvlan",
    config: { ipam: hostLocal("172.16.5.0/24", "fd00:5::/64") },
  },
  {
    option: "ipam.ranges.subnet",
    value: "two of IPv4, for macvlan",
    config: { ipam: hostLocal("172.16.5.0/24", "172.16.6.0/24") },
  },
  { option: "CNI_ARGS.IP", value: "an address, for macvlan", args: "IgnoreUnknown=1;IP=172.16.5.77" },
  { option: "args.cni.ips", value: "an address, for macvlan", config: { args: { cni: { ips: ["172.16.5.77"] } } } },
  {
    option: "runtimeConfig.ips",
    value: "an address, for macvlan",
    config: { runtimeConfig: { ips: ["172.16.5.77"] } },
  },
];

export const leftOut: readonly LeftOut[] = [
  { owner: "host-local", option: "cniVersion", why: "every case is run in every version" },
];
