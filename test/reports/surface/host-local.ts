import { casesOf, type Json, type LeftOut, type SurfaceCase } from "./case.ts";
import { dualStack, hostLocal } from "./every-plugin.ts";

// The options of host-local behind bridge: plugins/ipam/host-local/backend/allocator/config.go, Net and IPAMEnvArgs.

const subnet = "172.26.64.0/20";
const two = hostLocal(subnet, "172.27.0.0/24");

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

export const cases: readonly SurfaceCase[] = casesOf({
  name: { "another network": { config: { name: "backbone" } } },
  "ipam.ranges.subnet": {
    IPv6: { config: { ipam: hostLocal("fd00:26::/64") } },
    "IPv4 and IPv6": { config: { ipam: dualStack } },
    "two of IPv4": { config: { ipam: two, isGateway: undefined } },
    "two of IPv4, with isGateway": { config: { ipam: two }, fails: "already has an IP address different from" },
    "two in one set, the first used up": {
      config: {
        ipam: { type: "host-local", ranges: [[{ subnet: "172.27.0.0/30" }, { subnet, rangeStart: "172.26.64.50" }]] },
      },
      before: "mkdir -p /var/lib/cni/networks/zone; printf 'other\\r\\neth0' >/var/lib/cni/networks/zone/172.27.0.2",
    },
    "too small": { config: { ipam: hostLocal("172.26.64.0/32") }, fails: "too small to allocate from" },
  },
  "ipam.ranges.rangeStart": { inside: { config: range({ rangeStart: "172.26.64.100" }) } },
  "ipam.ranges.rangeEnd": {
    "one address": { config: range({ rangeStart: "172.26.64.100", rangeEnd: "172.26.64.100" }) },
  },
  "ipam.ranges.gateway": { "the last address": { config: range({ gateway: "172.26.79.254" }) } },
  "ipam.subnet": { alone: { config: single({}), unseen: "it is the older way to write the same" } },
  "ipam.rangeStart": { inside: { config: single({ rangeStart: "172.26.64.100" }) } },
  "ipam.rangeEnd": { "one address": { config: single({ rangeStart: "172.26.64.100", rangeEnd: "172.26.64.100" }) } },
  "ipam.gateway": { "the last address": { config: single({ gateway: "172.26.79.254" }) } },
  "ipam.type": { "host-local, as in every other case": { config: { ipam: hostLocal("172.29.0.0/24") } } },
  "ipam.routes.dst": {
    "the default routes": { config: { ipam: { ...dualStack, routes: [{ dst: "0.0.0.0/0" }, { dst: "::/0" }] } } },
  },
  "ipam.routes.gw": {
    "an address": { config: route({ gw: "172.26.64.7" }) },
    "out of reach": { config: route({ gw: "10.7.7.7" }), fails: "failed to add route" },
  },
  "ipam.routes.mtu": { "1300": { config: route({ mtu: 1300 }) } },
  "ipam.routes.advmss": { "1200": { config: route({ advmss: 1200 }) } },
  "ipam.routes.priority": { "50": { config: route({ priority: 50 }) } },
  "ipam.routes.table": { "100": { config: route({ table: 100 }), fails: "Expected Route", allowed: "other table" } },
  "ipam.routes.scope": { universe: { config: route({ scope: 0 }) } },
  "ipam.dataDir": { another: { config: { ipam: { ...hostLocal(subnet), dataDir: "/run/cni" } } } },
  "ipam.resolvConf": {
    "a file": {
      config: { ipam: { ...hostLocal(subnet), resolvConf: "/run/resolv.conf" } },
      before: "printf 'nameserver 10.0.0.53\\nsearch example.org\\noptions ndots:3\\n' >/run/resolv.conf",
    },
  },
  "runtimeConfig.ipRanges.subnet": { "before ipam's own": { config: { ...asked({}), isGateway: undefined } } },
  "runtimeConfig.ipRanges.rangeStart": {
    inside: { config: { ...asked({ rangeStart: "172.28.0.100" }), ipam: hostLocal() } },
  },
  "runtimeConfig.ipRanges.rangeEnd": {
    outside: { config: asked({ rangeEnd: "10.0.0.1" }), fails: "RangeEnd 10.0.0.1 not in network" },
  },
  "runtimeConfig.ipRanges.gateway": {
    "the last address": { config: { ...asked({ gateway: "172.28.0.254" }), ipam: hostLocal() } },
  },
  "runtimeConfig.ips": {
    "an address": { config: { runtimeConfig: { ips: ["172.26.64.77"] } } },
    "one of IPv4, one of IPv6": {
      config: { ipam: dualStack, runtimeConfig: { ips: ["172.26.64.77", "fd00:26::77"] } },
    },
    outside: {
      config: { runtimeConfig: { ips: ["10.1.2.3"] } },
      fails: "failed to allocate all requested IPs: 10.1.2.3",
    },
  },
  "args.cni.ips": { "an address": { config: { args: { cni: { ips: ["172.26.64.77"] } } } } },
  "CNI_ARGS.IP": {
    "an address": { args: "IgnoreUnknown=1;IP=172.26.64.77" },
    "the gateway's": { args: "IgnoreUnknown=1;IP=172.26.64.1", fails: "requested ip 172.26.64.1 is subnet's gateway" },
    "no address": { args: "IgnoreUnknown=1;IP=nonsense", fails: "nonsense" },
  },
  "CNI_ARGS.IgnoreUnknown": {
    "true, an unknown argument": {
      args: "IgnoreUnknown=1;NOMAD_JOB_ID=web",
      unseen: "the argument that is not known means nothing",
    },
  },
});

/** macvlan's results carry the same addresses. */
export const macvlanCases: readonly SurfaceCase[] = casesOf({
  "ipam.ranges.subnet": {
    "IPv4 and IPv6, for macvlan": { config: { ipam: hostLocal("172.16.5.0/24", "fd00:5::/64") } },
    "two of IPv4, for macvlan": { config: { ipam: hostLocal("172.16.5.0/24", "172.16.6.0/24") } },
  },
  "CNI_ARGS.IP": { "an address, for macvlan": { args: "IgnoreUnknown=1;IP=172.16.5.77" } },
  "args.cni.ips": { "an address, for macvlan": { config: { args: { cni: { ips: ["172.16.5.77"] } } } } },
  "runtimeConfig.ips": { "an address, for macvlan": { config: { runtimeConfig: { ips: ["172.16.5.77"] } } } },
});

export const leftOut: readonly LeftOut[] = [
  { owner: "host-local", option: "cniVersion", why: "every case is run in every version" },
];
