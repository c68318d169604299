import { lintFiles } from "../lint/lint.ts";
import { textReport } from "../lint/text-report.ts";
import { parseListFile } from "../lists/list-file.ts";
import { Trouble } from "../trouble.ts";
import { buildList } from "./build.ts";
import { type Ask, completeValues, optionOf } from "./complete.ts";
import { parseAddition } from "./creators.ts";
import { type FieldName, fields, partOf, type Values } from "./fields.ts";
import type { HostNetworks } from "./host-networks.ts";
import { listText } from "./list-text.ts";
import { type Preset, presets } from "./presets.ts";
import { addressText, parseSubnet } from "./subnets.ts";

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
  if (!range || !part || addressText(32, part.first) !== lanStart || part.last + 1n === range.last) return undefined;
  return addressText(32, part.last);
}

function lanNote({ lan, lanStart }: Values, lanEnd: string | undefined): { note?: string } {
  if (lan === undefined) return {};
  const to = lanEnd === undefined ? "on" : `to ${lanEnd}`;
  return {
    note: `Containers get addresses of ${lan} from ${lanStart} ${to}. No other host or DHCP server may give them out.`,
  };
}
