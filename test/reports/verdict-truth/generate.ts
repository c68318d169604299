import { Random } from "../../simulate/random.ts";
import { candidateOf } from "./compare.ts";
import type { Candidate } from "./truth.ts";

type Plugin = Record<string, unknown> & { type: string };

/** Returns generated lists: two to five plugins, plain, wrapped or wrapped in part, some with a mistake. */
export function generated(seed: number, count: number): Candidate[] {
  return Array.from({ length: count }, (_, index) => {
    const random = new Random(seed * 100_000 + index);
    return candidateOf(`generated-${seed}-${index}.conflist`, JSON.stringify(listOf(random)));
  });
}

function listOf(random: Random) {
  const count = 1 + random.below(3);
  const creators = Array.from({ length: count }, (_, index) => creator(random, index));
  const names = creators.map((_, index) => (index === 0 ? undefined : `eth${index}`));
  const chained = Array.from({ length: random.below(6 - count) + (count === 1 ? 1 : 0) }, () => chainedPlugin(random));
  const way = random.of(["plain", "wrapped", "wrapped", "half"]);
  const isWrapped = () => way === "wrapped" || (way === "half" && random.once(2));
  const first = random.once(10) ? [{ type: "loopback" }] : [];
  const made = creators.map((plugin, index) => (isWrapped() ? wrapped(plugin, names[index]) : plugin));
  const others = chained.map((plugin) => (isWrapped() ? wrapped(plugin, names[random.below(names.length)]) : plugin));
  const plugins = [...first, ...made, ...others].slice(0, 5);
  const version = random.of(["1.0.0", "1.0.0", "1.1.0", "0.4.0", "0.3.1"]);
  return { cniVersion: version, name: "zone", plugins: random.once(6) ? mistaken(random, plugins) : plugins };
}

function wrapped(plugin: Plugin, ifName: string | undefined): Plugin {
  return { ...plugin, type: `${plugin.type}-wrapper`, ...(ifName && { wrapper: { ifName } }) };
}

function ipam(random: Random, index: number): { ipam?: object } {
  const base = `10.${60 + random.of([index, index, index, 0])}`;
  const subnet = `${base}.0.0/24`;
  const route = random.once(3) ? { routes: [random.of([{ dst: "0.0.0.0/0" }, { dst: "10.200.0.0/16" }])] } : {};
  switch (random.below(6)) {
    case 0:
      return {};
    case 1: {
      const gateway = random.once(2) ? { gateway: `${base}.0.1` } : {};
      return { ipam: { type: "static", addresses: [{ address: `${base}.0.${20 + index}/24`, ...gateway }], ...route } };
    }
    case 2:
      return {
        ipam: {
          type: "host-local",
          ranges: [[{ subnet, rangeStart: `${base}.0.9`, rangeEnd: `${base}.0.1${random.of([0, 9])}` }]],
          ...route,
        },
      };
    case 3:
      return { ipam: { type: "host-local", ranges: [[{ subnet }], [{ subnet: `fd00:${60 + index}::/64` }]] } };
    default:
      return { ipam: { type: "host-local", subnet, ...route } };
  }
}

function flags(random: Random, ...keys: string[]): object {
  return Object.fromEntries(keys.filter(() => random.once(3)).map((key) => [key, true]));
}

function creator(random: Random, index: number): Plugin {
  switch (random.below(8)) {
    case 0:
    case 1:
    case 2: {
      const own = flags(random, "isGateway", "isDefaultGateway", "ipMasq", "forceAddress");
      return { type: "bridge", bridge: `br${random.of([index, 0])}`, ...own, ...ipam(random, index) };
    }
    case 3:
    case 4:
    case 5:
      return { type: "macvlan", master: random.of(["ens18", "ens19"]), ...ipam(random, index) };
    case 6:
      return { type: "ptp", ...flags(random, "ipMasq"), ...ipam(random, index) };
    default:
      return { type: "tap", ...ipam(random, index) };
  }
}

function chainedPlugin(random: Random): Plugin {
  return random.of<() => Plugin>([
    () => ({ type: "portmap", capabilities: { portMappings: true }, ...(random.once(3) && { snat: false }) }),
    () => ({ type: "firewall" }),
    () => ({ type: "tuning", ...random.of([{ mtu: 1400 }, { promisc: true }, { mac: "02:00:00:00:00:07" }, {}]) }),
    () => ({
      type: "bandwidth",
      ingressRate: 1e6,
      ingressBurst: 1e6,
      ...(random.once(2) && { egressRate: 1e6, egressBurst: 1e6 }),
    }),
    () => ({ type: "sbr" }),
  ])();
}

function mistaken(random: Random, plugins: Plugin[]): Plugin[] {
  const index = random.below(plugins.length);
  const one = plugins[index] as Plugin;
  const change = (changes: object) => plugins.with(index, { ...one, ...changes });
  return random.of([
    () => change({ ipam: { type: "host-local", subnet: "10.70.0.5/24" } }),
    () => change({ ipam: { type: "host-local", subnet: "10.70.0.0/24", rangeStart: "10.71.0.4" } }),
    () =>
      change({
        ipam: { type: "host-local", subnet: "10.70.0.0/24", gateway: "10.71.0.1", routes: [{ dst: "0.0.0.0/0" }] },
      }),
    () => change({ ipam: { type: "host-local" } }),
    () => change({ ipam: { type: "static", addresses: [{ address: "10.70.0.5/32" }] } }),
    () => change({ master: "ens77", bridge: "ens18" }),
    () => change({ mode: "odd", egressRate: 5 }),
    () => change({ hairpinMode: true, promiscMode: true }),
    () => plugins.toReversed(),
    () => [...plugins, one].slice(-5),
  ])();
}
