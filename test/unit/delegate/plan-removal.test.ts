import { expect, test } from "vitest";
import { planRemoval } from "../../../shared/delegate/undoing.ts";
import { Facts } from "../../../shared/journal/facts.ts";
import type { Entry } from "../../../shared/journal/journal.ts";
import { type Machine, ownNamespace, sessionOn } from "../support/fake-host.ts";
import {
  chainedOf,
  entryOf,
  everything,
  journalFiles,
  leaseOnly,
  net1,
  tryOf,
  zoneOfBlue,
} from "../support/journals.ts";

/** What the DEL of the entry with an id may remove. */
function plan(id: string, entries: readonly Entry[], netns = entryOf().namespace.path, machine: Machine = {}) {
  const env = { CNI_NETNS: netns, PATH: "/own" };
  const { session } = sessionOn({ files: journalFiles(...entries), links: [7], ...machine }, { env });
  const facts = new Facts(session.host);
  const journal = facts.journal(zoneOfBlue);
  const entry = journal.entries.find((one) => one.id === id);
  return entry && planRemoval({ session, facts, journal, netns }, entry);
}

test.each<[string, Entry, object]>([
  ["the same plugin for another interface", entryOf({ type: "mark", id: "2", ifName: "eth1" }), everything],
  ["another plugin for the same interface", chainedOf("tuning", { id: "2" }), everything],
])("an entry of an unknown plugin, and after it one of %s", (_, later, expected) => {
  const entry = entryOf({ type: "mark", id: "1", isGivenUp: true });
  expect(plan("1", [entry, later])).toEqual(expected);
});

test.each<[string, Entry, object]>([
  ["a creator: its leases are not", entryOf({ bootId: "earlier" }), leaseOnly],
  ["an unknown plugin, which may keep something on the disk", chainedOf("mark", { bootId: "earlier" }), leaseOnly],
])("an entry of an earlier boot, of %s", (_, entry, expected) => {
  expect(plan(entry.id, [entry])).toEqual(expected);
});

test("the path of a process is another container's by now if that has made the interface later, and not at the same time", () => {
  const netns = "/proc/7/ns/net";
  const namespace = { path: netns, device: 4, inode: ownNamespace };
  const beside = (uptime: number) => {
    const entries = [entryOf({ namespace }), entryOf({ containerId: "red", namespace, uptime })];
    return plan("bridge eth0", entries, netns);
  };
  expect(beside(986)).toEqual(leaseOnly);
  expect(beside(985)).toEqual(everything);
});

test("an interface that a failed ADD found is its plugin's own only if a try before it made it and is not undone", () => {
  const found = tryOf({ id: "found", before: 7, failed: { left: 7 }, isGivenUp: true });
  const made = (changes: Partial<Entry> = {}) => entryOf({ id: "made", isGivenUp: true, ...changes });
  const last = chainedOf("sbr", { id: "last", isGivenUp: true });
  expect(plan("found", [made(), found])).toEqual(everything);
  expect(plan("found", [made({ isUndone: true }), found])).toEqual(leaseOnly);
  expect(plan("found", [found, made(), last])).toEqual(leaseOnly);
});

test.each([
  ["in PATH", "/own/iptables", everything],
  ["nowhere", "/own/nft", { do: "later" }],
])(
  "iptables is %s: whether the ports of a failed ADD wait for those of a sibling in another network",
  (_, file, expected) => {
    const failed = chainedOf("portmap", { id: "failed", done: undefined, isGivenUp: true });
    const sibling = chainedOf("portmap", { ...net1, delegateNetwork: "other" });
    const inspect = (path: string) => (path === file ? "executable" : "missing");
    expect(plan("failed", [failed, sibling], undefined, { inspect })).toEqual(expected);
  },
);
