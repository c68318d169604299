import { expect, test } from "vitest";
import { fromTheEnd, isHalfRemoved, isNowhere, nowhere } from "../../../shared/journal/journal.ts";
import { parseJournal } from "../../../shared/journal/lines.ts";
import { chainedOf, entryOf, tryOf, zoneOfBlue } from "../support/journals.ts";

test("entries are undone from the end, and a stray ADD's right before the one that it repeats", () => {
  const [flannel, sbr, portmap] = [entryOf({ type: "flannel" }), chainedOf("sbr"), chainedOf("portmap")];
  const strays = [flannel, portmap].map((entry) => ({ ...entry, id: `stray ${entry.type}`, stray: true as const }));
  const other = tryOf({ ifName: "eth1", stray: true });
  const order = fromTheEnd([flannel, sbr, portmap, ...strays, other]).map(({ id }) => id);
  expect(order).toEqual(["bridge eth1", "stray portmap", "portmap eth0", "sbr eth0", "stray flannel", "flannel eth0"]);
});

test("entries of equal plugins are undone from the end, too, and each stray ADD's right before the one of its interface", () => {
  const [first, second] = ["eth0", "eth1"].map((ifName) => chainedOf("tuning", { ifName }));
  const between = chainedOf("sbr");
  const again = chainedOf("tuning", { id: "again" });
  const stray = chainedOf("tuning", { id: "stray", ifName: "eth1", stray: true });
  const entries = [first, second, between, again, stray].filter((entry) => entry !== undefined);
  expect(fromTheEnd(entries).map(({ id }) => id)).toEqual(["again", "sbr eth0", "stray", "tuning eth1", "tuning eth0"]);
});

test("a journal without entries is of no DEL that was cut off", () => {
  expect(isHalfRemoved(parseJournal(zoneOfBlue))).toBe(false);
});

test("where there is no namespace, none of a device or an inode is meant", () => {
  const none = nowhere("/run/netns/gone");
  expect(none).toEqual({ path: "/run/netns/gone", device: -1, inode: -1 });
  expect([none, { ...none, inode: 0 }].map(isNowhere)).toEqual([true, false]);
});
