import { expect, test } from "vitest";
import { fromTheEnd } from "../../../shared/journal/journal.ts";
import { chainedOf, entryOf, tryOf } from "../support/journals.ts";

test("entries are undone from the end, and a stray ADD's right before the one that it repeats", () => {
  const [flannel, sbr, portmap] = [entryOf({ type: "flannel" }), chainedOf("sbr"), chainedOf("portmap")];
  const strays = [flannel, portmap].map((entry) => ({ ...entry, id: `stray ${entry.type}`, stray: true as const }));
  const other = tryOf({ ifName: "eth1", stray: true });
  const order = fromTheEnd([flannel, sbr, portmap, ...strays, other]).map(({ id }) => id);
  expect(order).toEqual(["bridge eth1", "stray portmap", "portmap eth0", "sbr eth0", "stray flannel", "flannel eth0"]);
});
