import { Facts } from "../../../shared/journal/facts.ts";
import {
  type AttachmentKey,
  type Began,
  type Done,
  type Entry,
  journalFile,
  type Line,
} from "../../../shared/journal/journal.ts";
import { beganLine, linesText, parseJournal } from "../../../shared/journal/lines.ts";
import type { Del } from "../../../shared/journal/sharing.ts";
import { bootId, ownNamespace } from "./fake-host.ts";
import { blue } from "./requests.ts";

/** The container blue, attached to the network zone as eth0. */
export const zoneOfBlue: AttachmentKey = { network: "zone", containerId: "blue", runtimeIfName: "eth0" };
export const journal = journalFile(zoneOfBlue);

/** The entry of an ADD of bridge for eth0 that passed 15 seconds ago. The test chooses the rest. */
export function entryOf(changes: Partial<Entry> = {}): Entry {
  const { ifName = "eth0", type = "bridge", network = "zone" } = changes;
  const delegateNetwork = ifName === "eth0" ? network : `${network}-${ifName}`;
  return {
    ...zoneOfBlue,
    ...{
      id: `${type} ${ifName}`,
      type,
      role: "creator",
      ifName,
      delegateNetwork,
      path: `/opt/cni/bin/${type}`,
      args: "",
    },
    ...{ bootId, uptime: 985, namespace: { path: blue, device: 4, inode: ownNamespace, changedMs: 0 }, before: 0 },
    ...{ checksum: "0", wrapper: ifName === "eth0" ? {} : { ifName }, configuration: { type, name: delegateNetwork } },
    done: { made: 7, addresses: ["10.1.0.2/24"] },
    isGivenUp: false,
    isUndone: false,
    ...changes,
  };
}

/** An entry that is given up and undone. */
export const undone = { isGivenUp: true, isUndone: true } as const;

/** The attachment net1 of the same container, to the network other. */
export const net1 = { network: "other", runtimeIfName: "net1" } as const;

/** The DEL of an entry that may remove all that it left, and one that only frees its lease. */
export const everything: Del = {
  ...{ do: "DEL", withNamespace: true, freesLease: true, keepsMasquerading: false, waits: false },
  addAgain: [],
};
export const leaseOnly: Del = { ...everything, withNamespace: false };

/** A file of libcni's cache: the result of an attachment of the container blue. */
export function cached(network: string, ifName: string, result: object, containerId = "blue"): Record<string, string> {
  const key = { kind: "cniCacheV1", networkName: network, containerId, ifName };
  return { [`/var/lib/cni/results/${network}-${containerId}-${ifName}`]: JSON.stringify({ ...key, result }) };
}

/** The entry of an ADD that did not pass. */
export function tryOf(changes: Partial<Entry> = {}): Entry {
  return entryOf({ done: undefined, ...changes });
}

/** The entry of a chained plugin's ADD. */
export function chainedOf(type: string, changes: Partial<Entry> = {}): Entry {
  return entryOf({ type, role: "meta", before: undefined, done: { addresses: [] }, ...changes });
}

/** The lines that lead to entries. */
export function linesOf(entries: readonly Entry[]): Line[] {
  return entries.flatMap(({ done, failed, isGivenUp, isUndone, ...began }): Line[] => [
    beganLine(began as Began),
    ...(done ? [{ line: "done" as const, id: began.id, ...(done as Done) }] : []),
    ...(failed ? [{ line: "failed" as const, id: began.id, ...failed }] : []),
    ...(isGivenUp ? [{ line: "given up" as const, ids: [began.id] }] : []),
    ...(isUndone ? [{ line: "undone" as const, id: began.id }] : []),
  ]);
}

/** An entry as it is read: its parts have the kinds of their lines. */
export function asRead(entry: Entry): Entry {
  const { id, done, failed } = entry;
  const parts = {
    ...(done && { done: { line: "done", id, ...done } }),
    ...(failed && { failed: { line: "failed", id, ...failed } }),
  };
  return { ...beganLine(entry), ...entry, ...parts };
}

/** The entries of the own journal with this text. */
export function entriesIn(text: string | undefined): readonly Entry[] {
  return parseJournal(zoneOfBlue, text).entries;
}

/** The lines of a journal's file. */
export function linesIn(text = "") {
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** The files of journals with these entries. */
export function journalFiles(...entries: readonly Entry[]): Record<string, string> {
  const files: Record<string, string> = {};
  for (const entry of entries)
    files[journalFile(entry)] = `${files[journalFile(entry)] ?? ""}${linesText(linesOf([entry]))}`;
  return files;
}

/** The lines with which another call gives an entry up, and says that it is undone. */
export const givenUp = (id: string) => linesText([{ line: "given up", ids: [id] }]);
export const undoneLine = (id: string) => linesText([{ line: "undone", id }]);

/** What another call adds to the journal while a delegate runs, if it has something to add to its text. */
export function appending(more: (text: string) => string | undefined) {
  return (files: Map<string, unknown>): void => {
    const file = files.get(journal) as { readonly text: string } | undefined;
    if (file) files.set(journal, { ...file, text: file.text + (more(file.text) ?? "") });
  };
}

/** The facts of a host with these files, and what was read, listed and looked at. */
export function factsOf(files: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const all = new Map(Object.entries(files));
  const host = {
    readFile(path: string) {
      asked.push(path);
      return all.get(path);
    },
    listDirectory(path: string) {
      const inside = [...all.keys()].filter((file) => file.startsWith(`${path}/`));
      return [...new Set(inside.map((file) => file.slice(path.length + 1).split("/", 1)[0] ?? ""))];
    },
    stat(path: string) {
      asked.push(`stat ${path}`);
      return path.startsWith("/run/netns/") ? { device: 4, inode: 1, size: 0, modifiedMs: 0, changedMs: 0 } : undefined;
    },
  };
  return { facts: new Facts(host), host, asked, all };
}

/** What other calls do while a delegate runs: they write the journals of these entries. */
export function appearing(...entries: readonly Entry[]) {
  return (files: Map<string, unknown>): void => {
    for (const [path, text] of Object.entries(journalFiles(...entries))) files.set(path, { text, modifiedMs: 0 });
  };
}
