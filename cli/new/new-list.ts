import { goLookup } from "../../shared/protocol/json.ts";
import { flatText } from "../explain/json-lines.ts";
import { lintFiles } from "../lint/lint.ts";
import { textReport } from "../lint/text-report.ts";
import { addressText } from "../lists/addresses.ts";
import { runtimeIfName } from "../lists/list.ts";
import { parseListFile } from "../lists/list-file.ts";
import { Trouble } from "../trouble.ts";
import { type Ask, completeValues, optionOf } from "./complete.ts";
import { type Addition, additionName, creators, type Plugin, parseAddition } from "./creators.ts";
import { type FieldName, fields, partOf, type Values } from "./fields.ts";
import type { HostNetworks } from "./host-networks.ts";
import { type Choices, hostLocal, type Preset, presets } from "./presets.ts";
import { freeSubnet, overlaps, parseSubnet, type Range, subnetText } from "./subnets.ts";

/** The options that decide about a list. */
export interface ListOptions extends Values {
  readonly add: readonly string[];
  readonly hairpin?: true;
  readonly consul?: true;
}

interface Order {
  readonly preset: string;
  readonly options: ListOptions;
  readonly host: HostNetworks;
  /** Asks a person for what no option says; undefined if nobody is there. */
  readonly ask: Ask | undefined;
}

/** Returns the text of a new list, and a sentence about its addresses. Throws Trouble if a value is missing or wrong. */
export async function newList({ preset: named, options, host, ask }: Order): Promise<{ text: string; note?: string }> {
  const preset = presets[named];
  if (!preset) throw new Trouble(`${named} is not a preset`);
  checkOptions(preset, options);
  const additions = options.add.map(parseAddition);
  const values = await completeValues(preset, options, host, ask);
  const lanEnd = options.lanStart === undefined ? lanEndOf(values, host) : undefined;
  const text = listText(buildList(preset, values, { ...options, additions, host, lanEnd }));
  const findings = lintFiles([parseListFile("the new list", text)]);
  if (findings.length > 0) {
    throw new Trouble(`the list would have mistakes:\n${textReport(findings, { hasColors: false })}`);
  }
  return { text, ...lanNote(values, lanEnd) };
}

function checkOptions({ fields: needed }: Preset, options: ListOptions): void {
  const given = (Object.keys(fields) as FieldName[]).filter((name) => options[name] !== undefined);
  const usable = [...needed, ...(options.add.length > 0 ? ["master"] : [])];
  const unused = given.find((name) => !usable.includes(name));
  if (unused !== undefined) throw new Trouble(`${optionOf(unused)} has no use in this preset`);
}

/** The last address for containers, if it is not the last one of the LAN. */
function lanEndOf({ lan, gateway, lanStart }: Values, host: HostNetworks): string | undefined {
  const range = parseSubnet(lan ?? "");
  const part = partOf(lan, gateway, host);
  if (!range || !part || addressText({ bits: 32, value: part.first }) !== lanStart || part.last + 1n === range.last)
    return undefined;
  return addressText({ bits: 32, value: part.last });
}

function lanNote({ lan, lanStart }: Values, lanEnd: string | undefined): { note?: string } {
  if (lan === undefined) return {};
  const to = lanEnd === undefined ? "on" : `to ${lanEnd}`;
  return {
    note: `Containers get addresses of ${lan} from ${lanStart} ${to}. No other host or DHCP server may give them out.`,
  };
}

/** Returns the list of a preset with its values and the added interfaces. Throws Trouble if an interface is not possible. */
function buildList(
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

/** Writes a list as the examples are written: a line for each key of the list, of a plugin and of its ipam. */
export function listText(list: { readonly plugins: readonly object[] }): string {
  const plugins = list.plugins.map((plugin) => `    ${pluginText(plugin)}`).join(",\n");
  const keys = Object.entries(list).map(([key, value]) => {
    return `  ${JSON.stringify(key)}: ${key === "plugins" ? `[\n${plugins}\n  ]` : flatText(value)}`;
  });
  return `{\n${keys.join(",\n")}\n}\n`;
}

function pluginText(plugin: object): string {
  if (Object.keys(plugin).length === 1) return flatText(plugin);
  const write = (key: string, value: unknown) =>
    key === "ipam" ? expanded(value as object, "      ", (_, one) => flatText(one)) : flatText(value);
  return expanded(plugin, "    ", write);
}

function expanded(object: object, indent: string, write: (key: string, value: unknown) => string): string {
  const lines = Object.entries(object).map(([key, value]) => `${indent}  ${JSON.stringify(key)}: ${write(key, value)}`);
  return `{\n${lines.join(",\n")}\n${indent}}`;
}
