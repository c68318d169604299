import { casesOf, type Json, type LeftOut, type SurfaceCase } from "./case.ts";

// The options of static behind macvlan: plugins/ipam/static/main.go, Net and IPAMEnvArgs.

const address = "172.16.5.2/24";

function fixed(more: Json): Json {
  return { ipam: { type: "static", addresses: [{ address }], ...more } };
}

function route(more: Json): Json {
  return fixed({ addresses: [{ address, gateway: "172.16.5.1" }], routes: [{ dst: "10.99.0.0/16", ...more }] });
}

export const cases: readonly SurfaceCase[] = casesOf({
  "ipam.type": { "static, without addresses": { config: { ipam: { type: "static" } }, fails: "missing IP config" } },
  "ipam.addresses.address": {
    "of IPv4": { config: fixed({ addresses: [{ address: "172.16.5.9/24" }] }) },
    "of IPv4 and IPv6": { config: fixed({ addresses: [{ address }, { address: "fd00:5::2/64" }] }) },
    "two of IPv4": { config: fixed({ addresses: [{ address }, { address: "172.16.6.2/24" }] }) },
  },
  "ipam.addresses.gateway": { "an address": { config: fixed({ addresses: [{ address, gateway: "172.16.5.1" }] }) } },
  "ipam.routes.dst": { "the default route": { config: route({ dst: "0.0.0.0/0" }) } },
  "ipam.routes.gw": { "an address": { config: route({ gw: "172.16.5.7" }) } },
  "ipam.routes.mtu": { "1300": { config: route({ mtu: 1300 }) } },
  "ipam.routes.advmss": { "1200": { config: route({ advmss: 1200 }) } },
  "ipam.routes.priority": { "50": { config: route({ priority: 50 }) } },
  "ipam.routes.table": { "100": { config: route({ table: 100 }), fails: "Expected Route", allowed: "other table" } },
  "ipam.routes.scope": { link: { config: fixed({ routes: [{ dst: "10.99.0.0/16", scope: 253 }] }) } },
  "ipam.dns.nameservers": {
    some: { unseen: "macvlan leaves it out", config: fixed({ dns: { nameservers: ["172.16.5.1"] } }) },
  },
  "ipam.dns.domain": { some: { unseen: "macvlan leaves it out", config: fixed({ dns: { domain: "example.org" } }) } },
  "ipam.dns.search": { some: { unseen: "macvlan leaves it out", config: fixed({ dns: { search: ["example.org"] } }) } },
  "ipam.dns.options": { some: { unseen: "macvlan leaves it out", config: fixed({ dns: { options: ["ndots:2"] } }) } },
  "runtimeConfig.ips": {
    "over ipam's own": { config: { runtimeConfig: { ips: ["172.16.5.77/24"] } } },
    two: { config: { runtimeConfig: { ips: ["172.16.5.77/24", "fd00:5::77/64"] } } },
  },
  "args.cni.ips": { "over ipam's own": { config: { args: { cni: { ips: ["172.16.5.77/24"] } } } } },
  "CNI_ARGS.IP": {
    "beside ipam's own": { args: "IgnoreUnknown=1;IP=172.16.5.77/24" },
    two: { config: fixed({ addresses: [] }), args: "IgnoreUnknown=1;IP=172.16.5.77/24,172.16.5.78/24" },
    "no prefix": { args: "IgnoreUnknown=1;IP=172.16.5.77", fails: "expected to be in CIDR notation" },
  },
  "CNI_ARGS.GATEWAY": {
    "an address": { args: "IgnoreUnknown=1;IP=172.16.5.77/24;GATEWAY=172.16.5.1" },
    "no address": { args: "IgnoreUnknown=1;GATEWAY=nonsense", fails: "invalid gateway address: nonsense" },
  },
  "CNI_ARGS.IgnoreUnknown": { false: { args: "IgnoreUnknown=0;NOMAD_JOB_ID=web", fails: "unknown args" } },
});

export const leftOut: readonly LeftOut[] = [
  { owner: "static", option: "cniVersion", why: "every case is run in every version" },
  { owner: "static", option: "name", why: "static keeps nothing that would be called so" },
];
