import type { Json, LeftOut, SurfaceCase } from "./case.ts";

// The options of static behind macvlan: plugins/ipam/static/main.go, Net and IPAMEnvArgs.

const address = "172.16.5.2/24";

function fixed(more: Json): Json {
  return { ipam: { type: "static", addresses: [{ address }], ...more } };
}

function route(more: Json): Json {
  return fixed({ addresses: [{ address, gateway: "172.16.5.1" }], routes: [{ dst: "10.99.0.0/16", ...more }] });
}

export const cases: readonly SurfaceCase[] = [
  {
    option: "ipam.type",
    value: "static, without addresses",
    config: { ipam: { type: "static" } },
    fails: "missing IP config",
  },
  { option: "ipam.addresses.address", value: "of IPv4", config: fixed({ addresses: [{ address: "172.16.5.9/24" }] }) },
  {
    option: "ipam.addresses.address",
    value: "of IPv4 and IPv6",
    config: fixed({ addresses: [{ address }, { address: "fd00:5::2/64" }] }),
  },
  {
    option: "ipam.addresses.address",
    value: "two of IPv4",
    config: fixed({ addresses: [{ address }, { address: "172.16.6.2/24" }] }),
  },
  {
    option: "ipam.addresses.gateway",
    value: "an address",
    config: fixed({ addresses: [{ address, gateway: "172.16.5.1" }] }),
  },
  { option: "ipam.routes.dst", value: "the default route", config: route({ dst: "0.0.0.0/0" }) },
  { option: "ipam.routes.gw", value: "an address", config: route({ gw: "172.16.5.7" }) },
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
  { option: "ipam.routes.scope", value: "link", config: fixed({ routes: [{ dst: "10.99.0.0/16", scope: 253 }] }) },
  {
    option: "ipam.dns.nameservers",
    value: "some",
    unseen: "macvlan leaves it out",
    config: fixed({ dns: { nameservers: ["172.16.5.1"] } }),
  },
  {
    option: "ipam.dns.domain",
    value: "some",
    unseen: "macvlan leaves it out",
    config: fixed({ dns: { domain: "example.org" } }),
  },
  {
    option: "ipam.dns.search",
    value: "some",
    unseen: "macvlan leaves it out",
    config: fixed({ dns: { search: ["example.org"] } }),
  },
  {
    option: "ipam.dns.options",
    value: "some",
    unseen: "macvlan leaves it out",
    config: fixed({ dns: { options: ["ndots:2"] } }),
  },
  { option: "runtimeConfig.ips", value: "over ipam's own", config: { runtimeConfig: { ips: ["172.16.5.77/24"] } } },
  {
    option: "runtimeConfig.ips",
    value: "two",
    config: { runtimeConfig: { ips: ["172.16.5.77/24", "fd00:5::77/64"] } },
  },
  { option: "args.cni.ips", value: "over ipam's own", config: { args: { cni: { ips: ["172.16.5.77/24"] } } } },
  { option: "CNI_ARGS.IP", value: "beside ipam's own", args: "IgnoreUnknown=1;IP=172.16.5.77/24" },
  {
    option: "CNI_ARGS.IP",
    value: "two",
    config: fixed({ addresses: [] }),
    args: "IgnoreUnknown=1;IP=172.16.5.77/24,172.16.5.78/24",
  },
  {
    option: "CNI_ARGS.IP",
    value: "no prefix",
    args: "IgnoreUnknown=1;IP=172.16.5.77",
    fails: "expected to be in CIDR notation",
  },
  { option: "CNI_ARGS.GATEWAY", value: "an address", args: "IgnoreUnknown=1;IP=172.16.5.77/24;GATEWAY=172.16.5.1" },
  {
    option: "CNI_ARGS.GATEWAY",
    value: "no address",
    args: "IgnoreUnknown=1;GATEWAY=nonsense",
    fails: "invalid gateway address: nonsense",
  },
  { option: "CNI_ARGS.IgnoreUnknown", value: "false", args: "IgnoreUnknown=0;NOMAD_JOB_ID=web", fails: "unknown args" },
];

export const leftOut: readonly LeftOut[] = [
  { owner: "static", option: "cniVersion", why: "every case is run in every version" },
  { owner: "static", option: "name", why: "static keeps nothing that would be called so" },
];
