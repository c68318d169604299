import { goLookup } from "../../shared/protocol/json.ts";
import { runtimeIfName } from "../lists/list.ts";
import { Trouble } from "../trouble.ts";
import { type Addition, additionName, creators, type Plugin } from "./creators.ts";
import type { Values } from "./fields.ts";
import type { HostNetworks } from "./host-networks.ts";
import { type Choices, hostLocal, type Preset } from "./presets.ts";
import { freeSubnet, overlaps, parseSubnet, type Range, subnetText } from "./subnets.ts";

/** Returns the list of a preset with its values and the added interfaces. Throws Trouble if an interface is not possible. */
export function buildList(
  preset: Preset,
  values: Values,
  { additions = [], host, ...choices }: Choices & { additions?: readonly Addition[]; host: HostNetworks },
) {
  const plain = [...preset.creators(values, choices)];
  const names = [runtimeIfName, ...plain.slice(1).map((_, index) => `eth${index + 1}`)];
  for (const addition of additions) {
    const bridges = plain.flatMap(({ bridge }) => (typeof bridge === "string" ? [bridge] : []));
    const ifName = additionName(addition, [...names, ...bridges]);
    plain.push(added(addition, ifName, plain, values, host, preset.dataDir));
    names.push(ifName);
  }
  const wrapped = plain.map(({ type, ...rest }, index) => {
    return { type: `${type}-wrapper`, ...(index > 0 && { wrapper: { ifName: names[index] } }), ...rest };
  });
  const plugins = [...(preset.before?.(values) ?? []), ...wrapped, ...(preset.after?.(values, choices) ?? [])];
  return { cniVersion: values.cniVersion, name: values.name, plugins };
}

function added(
  { type, keys }: Addition,
  ifName: string,
  others: readonly Plugin[],
  { name, master }: Values,
  host: HostNetworks,
  dataDir: string | undefined,
): Plugin {
  const fallback = { master: master ?? host.interfaces[0]?.name, bridge: `br-${ifName}-${name}`.slice(0, 15) };
  const given: Record<string, string | undefined> = { ...fallback, ...keys };
  const missing = creators[type]?.keys.find((key) => given[key] === undefined);
  if (missing !== undefined) {
    throw new Trouble(`--add ${type}: the key ${missing} is missing; write --add ${type}:${ifName}:${missing}=...`);
  }
  const configuration = creators[type]?.configuration(given as Record<string, string>) ?? {};
  checkMaster(type, configuration.master, others);
  const subnet = subnetFor(type, keys.subnet, others, host);
  return { type, ...configuration, ipam: hostLocal([{ subnet }], [], dataDir) };
}

/** The kernel does not let macvlan and ipvlan share an interface. */
function checkMaster(type: string, master: unknown, others: readonly Plugin[]): void {
  const rival = { macvlan: "ipvlan", ipvlan: "macvlan" }[type];
  if (!rival || !others.some((other) => other.type === rival && other.master === master)) return;
  throw new Trouble(`--add ${type}: ${rival} has the master ${master}, and the two cannot share one; add master=...`);
}

function subnetFor(type: string, given: string | undefined, others: readonly Plugin[], host: HostNetworks): string {
  const taken = others.flatMap(subnetsOf);
  if (given === undefined) {
    const free = freeSubnet([...taken, ...host.subnets.flatMap((one) => parseSubnet(one) ?? [])]);
    if (free) return subnetText(free);
    throw new Trouble(`--add ${type}: no private subnet is free; add subnet=...`);
  }
  const range = parseSubnet(given);
  if (!range || range.last - range.first < 3n || subnetText(range) !== given)
    throw new Trouble(`--add ${type}: ${given} is not a subnet`);
  if (taken.some((one) => overlaps(one, range)))
    throw new Trouble(`--add ${type}: ${given} overlaps another subnet of the list`);
  return given;
}

function subnetsOf({ ipam }: Plugin): readonly Range[] {
  const ranges = goLookup(ipam as Record<string, unknown>, "ranges");
  return (ranges as { subnet: string }[][]).flat().flatMap(({ subnet }) => parseSubnet(subnet) ?? []);
}
