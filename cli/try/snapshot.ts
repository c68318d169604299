import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { attempt, readFile } from "../../shared/host/node/files.ts";
import { addressesOf, readLinks } from "../host/links.ts";
import { backendsOf, readerOfRules } from "../prune/read-rules.ts";
import { isOfKernel, mountsIn, ownMounts } from "./stage.ts";

/** A thing that a plugin can leave. */
export interface Thing {
  readonly kind: "link" | "address" | "route" | "rule" | "packet rule" | "file";
  readonly where: string;
}

/** Everything on the stage that a plugin can leave there, and why some of it cannot be read. */
export type Snapshot = Awaited<ReturnType<typeof takeSnapshot>>;

/** Looks at the stage. */
export async function takeSnapshot() {
  const problems: string[] = [];
  const read = readerOfRules(problems);
  const links = (await readLinks()) ?? [];
  const families = ["-4", "-6"];
  const found: readonly Thing[] = [
    ...links.map(({ ifname }): Thing => ({ kind: "link", where: ifname })),
    ...links.flatMap((link) =>
      addressesOf(link).map((address): Thing => ({ kind: "address", where: `${address} of ${link.ifname}` })),
    ),
    ...families.flatMap((family) => [...routes(family, read), ...rules(family, read)]),
    ...packetRules(read),
    ...files(),
  ];
  // Some have the same text.
  const things = [...Map.groupBy(found, textOf)].flatMap(([text, same]) => {
    return same.map((thing, index) => [`${text} ${index}`, thing] as const);
  });
  return { things: new Map(things), problems };
}

/** What the later snapshot has and the earlier one has not. */
export function addedTo(earlier: Snapshot, later: Snapshot): readonly Thing[] {
  // guard: what was there before is not called left
  return [...later.things].filter(([text]) => !earlier.things.has(text)).map(([, thing]) => thing);
}

/** A thing in words. */
export function textOf({ kind, where }: Thing): string {
  return `${kind} ${where}`;
}

/** The same text for what two containers leave in different places: names and addresses have other numbers. */
export function shapeOf(thing: Thing): string {
  return textOf(thing).replace(/[0-9a-f]{4,}|\d+/g, "#");
}

type Read = ReturnType<typeof readerOfRules>;

type Row = Readonly<Record<string, unknown>>;

// The kernel makes routes by itself, some of them a moment after an address.
function routes(family: string, read: Read): readonly Thing[] {
  const rows = rowsOf(read("ip", ["-json", family, "route", "show", "table", "all"])).filter(
    ({ protocol }) => protocol !== "kernel",
  );
  return rows.map(({ flags: _, ...row }) => ({ kind: "route", where: wordsOf(row) }));
}

function rules(family: string, read: Read): readonly Thing[] {
  return rowsOf(read("ip", ["-json", family, "rule", "show"])).map((row) => ({ kind: "rule", where: wordsOf(row) }));
}

function rowsOf(output: string): readonly Row[] {
  return attempt(() => JSON.parse(output)) ?? [];
}

function wordsOf(row: Row): string {
  return Object.entries(row)
    .map(([key, value]) => `${key} ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(" ");
}

function packetRules(read: Read): readonly Thing[] {
  const inTables = ["iptables", "ip6tables"].flatMap(backendsOf);
  const saved = inTables.flatMap((program) => inSaved(program, read(`${program}-save`)));
  const ruleset = read("nft", ["--stateless", "list", "ruleset"]);
  // iptables-save has said these in its own words.
  const others = ruleset.replaceAll(/^# Warning: table [^\n]* is managed by iptables-nft[^\n]*\n.*?^\}$/gms, "");
  return [...saved, ...inRuleset(others)].map((where) => ({ kind: "packet rule", where }));
}

function inSaved(program: string, output: string): readonly string[] {
  return output.split(/^\*/m).flatMap((table) => {
    const [name, ...lines] = table.split("\n");
    const own = lines.filter((line) => /^[-:]/.test(line));
    // The numbers are of packets that a chain has seen.
    return own.map((line) => `${program} -t ${name} ${line.replace(/ \[\d+:\d+\]$/, "")}`);
  });
}

/** Returns each line with those that it is in. */
function inRuleset(ruleset: string): readonly string[] {
  const around: string[] = [];
  return ruleset.split("\n").flatMap((raw) => {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) return [];
    const words = ["nft", ...around, line.replace(/ \{$/, "")].join(" ");
    if (line === "}") around.pop();
    else if (line.endsWith("{")) around.push(line.replace(/ \{$/, ""));
    return line === "}" ? [] : words;
  });
}

/** The files in the places that can be written. */
function files(): readonly Thing[] {
  const mounts = mountsIn(readFile("/proc/self/mountinfo") ?? "");
  const own = mounts.filter(({ source, path }) => source === ownMounts && !isOfKernel(path));
  return own
    .flatMap(({ path, upper }) => filesBelow(upper ?? path, path))
    .filter((path) => !own.some(({ upper }) => upper !== undefined && path.startsWith(upper.replace(/up$/, ""))))
    .map((where) => ({ kind: "file", where }));
}

function filesBelow(directory: string, shown: string): readonly string[] {
  const names = attempt(() => readdirSync(directory)) ?? [];
  return names.flatMap((name) => {
    const [path, as] = [join(directory, name), join(shown, name)];
    return attempt(() => lstatSync(path).isDirectory()) ? filesBelow(path, as) : [as];
  });
}
