import type { Left } from "../../../cli/explain/list-run.ts";
import { exampleAttachment } from "../../../cli/explain/model-answers.ts";
import { type EventName, type Outcome, verdictOf } from "../../../cli/explain/verdict.ts";
import { listOf } from "../../../cli/lists/list.ts";
import { parseListFile } from "../../../cli/lists/list-file.ts";
import { notSent } from "../../../cli/live/libcni.ts";
import { cards } from "../../support/examples.ts";
import type { Candidate, Ports, Seen } from "./truth.ts";

/** Makes a candidate of a list's text. */
export function candidateOf(name: string, text: string): Candidate {
  const list = listOf(parseListFile(name, text));
  const ports = list ? (exampleAttachment(list).capabilityArgs.portMappings ?? []) : [];
  return { name, text, ports: ports as Ports, isDropIn: list?.isDropIn ?? false };
}

/** What each event of a list ended with, in words that are the same each time. An event that was not reached is missing. */
export type Words = Readonly<Partial<Record<EventName, string>>>;

/** Compares what the model says about each event of a list with what the real plugins did. */
export function judge(candidate: Candidate, seen: Words) {
  const list = listOf(parseListFile(candidate.name, candidate.text));
  const file = parseListFile(candidate.name, candidate.text);
  const host = { cards: ["ens18", ...cards], defaultDevice: undefined };
  const told = list && file.errors.length === 0 ? verdictOf(list, exampleAttachment(list), undefined, host) : [];
  const isKnown = told.every(({ passes }) => passes !== undefined);
  if (!list || file.errors.length > 0) return [];
  const isSent = notSent(list, "CHECK") === undefined;
  const names = new Set([...(Object.keys(seen) as EventName[]), ...told.map(({ event }) => event)]);
  const judged = [...names].filter((event) => isSent || !["restart", "joined"].includes(event));
  return judged.map((event) => {
    const model = wordsOfModel(told.find((one) => one.event === event));
    const real = seen[event] ?? notReached;
    const before = wordsOfModel(told.find((one) => one.event === "restart"));
    const isEqual =
      isSame(model, real) ||
      (event === "gone" && isSame(withoutMissing(model), real)) ||
      (isByChance(model) && isSame(before, real));
    return { list: candidate.name, event, model, real, isKnown, isEqual };
  });
}

/** go-cni calls a DEL without a namespace passed if a plugin misses a file: the namespace is none. */
function withoutMissing(words: string): string {
  return words.replace(/^\S+: .*no such file or directory/, "passes");
}

/** A bridge's MAC changes by chance: the model says what can happen. CHECK is not sent for some lists, and passes then. */
function isSame(model: string, real: string): boolean {
  if (model === real) return true;
  // Of a CHECK, libcni tells the plugin's message alone.
  if (real.startsWith("load: ") && model.replace(/^\S+: /, "") === real.slice("load: ".length)) return true;
  return isByChance(model) && real === "passes";
}

/** If the MAC is the same by chance, CHECK goes on, and ends as the one before the other container came. */
function isByChance(model: string): boolean {
  return /^\S+: Bridge interface \S+ Mac doesn't match/.test(model);
}

const notReached = "not reached";

function wordsOfModel(told: Outcome | undefined): string {
  if (!told) return notReached;
  if (told.passes === undefined) return `not known: ${told.message}`;
  const words = told.passes ? "passes" : `${told.type ?? "load"}: ${normal(String(told.message))}`;
  return withLeaves(words, told.leaves);
}

/** Returns the words for what the real plugins did. */
export function wordsOf(seen: readonly Seen[]): Words {
  return Object.fromEntries(seen.map((one) => [one.event, wordsOfReal(one)]));
}

function wordsOfReal({ error, leaves }: Seen): string {
  const found = /plugin type="([^"]*)"(?: name="[^"]*")? failed \(\w+\): ([\s\S]*)/.exec(error ?? "");
  const words =
    error === undefined ? "passes" : found ? `${found[1]}: ${normal(String(found[2]))}` : `load: ${normal(error)}`;
  return withLeaves(words, leaves);
}

/** The names of interfaces are random or a digest. */
function withLeaves(words: string, leaves: readonly Left[]): string {
  const names = leaves.map(({ kind, name }) => `${kind} ${kind === "interface" ? name.slice(0, 3) : name}`);
  return leaves.length > 0 ? `${words}, leaves ${[...new Set(names)].sort().join(", ")}` : words;
}

/** Returns a message without what is random, a digest, an address in memory, or in iptables' words. */
export function normal(text: string): string {
  return text
    .trim()
    .replace(/peer provided \("[^"]*"\)/, 'peer provided ("...")')
    .replace(/veth[0-9a-fx]+/g, "veth?")
    .replace(/(?:[0-9a-f]{2}:){5}[0-9a-f]{2}/g, "MAC")
    .replace(/CNI-(DN-)?[0-9a-zA-Z-]{8,}/g, "CNI-$1?")
    .replace(/bwp[0-9a-f]+/g, "bwp?")
    .replace(/Ifindex: \d+/, "Ifindex: ?")
    .replace(/\bnet[01]\b/g, "net?")
    .replace(/Interface:0x[0-9a-f]+/, "Interface:0x...")
    .replace(/(mode|Length) of (\S+) is (0x)?[0-9a-f]+,/, "$1 of $2 is 0x...,")
    .replace(/rule (\[.*\] )?in chain/, "rule in chain")
    .replace(/(chain existence): [\s\S]*/, "$1: ...");
}
