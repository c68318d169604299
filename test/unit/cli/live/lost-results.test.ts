import { expect, test } from "vitest";
import { withLostResult } from "../../../../cli/live/every-attachment.ts";
import type { Entry, Namespace } from "../../../../shared/journal/journal.ts";
import { cachedAttachment } from "../../support/cached-results.ts";
import { entryOf } from "../../support/journals.ts";

const there: Namespace = { path: "/run/netns/c1", device: 4, inode: 1, changedMs: 5 };
const first = entryOf({ containerId: "c1", type: "macvlan", namespace: there });
const second = entryOf({ containerId: "c1", ifName: "eth1", namespace: there });

const found = (...entries: Entry[]) => withLostResult(entries, (path) => (path === there.path ? there : undefined));

test("the entries of one attachment are one attachment, without a result", () => {
  expect(found(first, second)).toEqual([cachedAttachment({ file: "/var/lib/cni/results/zone-c1-eth0" })]);
});

test.each([
  ["its namespace is gone", { ...first, namespace: { ...there, path: "/run/netns/c2" } }],
  ["another namespace has its path", { ...first, namespace: { ...there, inode: 2 } }],
  ["another namespace has its inode again", { ...first, namespace: { ...there, changedMs: 6 } }],
  ["its ADD did not pass", { ...first, done: undefined }],
  ["it is given up", { ...first, isGivenUp: true }],
])("an entry is no attachment if %s", (_, one) => {
  expect(found(one)).toEqual([]);
});
