import { expect, test } from "vitest";
import type { Case, Proposal } from "../../../../cli/adopt/proposal.ts";
import { jsonOf, textFor } from "../../../../cli/adopt/report.ts";
import { styled } from "../../../../cli/terminal.ts";
import { cachedAttachment } from "../../support/cached-results.ts";

function caseOf(containerId: string, proposal: Proposal): Case {
  const file = `/results/zone-${containerId}-eth0`;
  const result = { cniVersion: "1.0.0", dns: { domain: "- a, b" }, interfaces: [] };
  const attachment = cachedAttachment({ file, containerId, result });
  return { attachment, workload: { runtime: "unknown", name: `its ${containerId}` }, proposal };
}

const adoptable = (name: string, journal?: string): Proposal => ({
  is: "adoptable",
  result: { cniVersion: "1.0.0", dns: { domain: "- a, b" }, interfaces: [{ name, sandbox: "/run/netns/c1" }] },
  journal: journal === undefined ? undefined : { file: journal, text: "secret" },
});

const cases: readonly Case[] = [
  caseOf("c1", { is: "fine" }),
  caseOf("c2", adoptable("eth0", "/journal")),
  caseOf("c3", adoptable("eth0")),
  caseOf("c4", adoptable("eth1")),
  caseOf("c5", { is: "later", error: "not\nyet" }),
  caseOf("c6", { is: "lost", error: "no\nmaster" }),
  caseOf("c7", { is: "lost", error: "no master", cure: "name\none" }),
  caseOf("c8", { is: "unseen", error: "ip is\nmissing" }),
  caseOf("c9", { is: "unchecked" }),
  caseOf("c10", { is: "unwritten", error: "disk\nfull" }),
];

const changeOf = (container: string, name: string) => `--- /results/zone-${container}-eth0
+++ /results/zone-${container}-eth0
@@ -3,5 +3,10 @@
   "dns": {
     "domain": "- a, b"
   }
-  "interfaces": []
+  "interfaces": [
+    {
+      "name": "${name}"
+      "sandbox": "/run/netns/c1"
+    }
+  ]
 }`;

test("people see each change once, the journal that is added, what cannot be helped, and the sums", () => {
  expect(textFor(cases, { isWritten: false, where: "looked at: there" }, { hasColors: false })).toBe(
    `zone its c2: can be adopted
${changeOf("c2", "eth0")}
+ /journal
  and 1 more attachment of zone: its c3

zone its c4: can be adopted
${changeOf("c4", "eth1")}

zone its c5: can be adopted when the new list is in place; before, CHECK of the list in place would fail: not\\nyet

zone its c6: CHECK fails, and no result makes it pass: no\\nmaster
  Replace the container, or undo what changed in its list

zone its c7: CHECK fails, and no result makes it pass: no master
  name\\none

zone its c8: nobody can tell whether it can be adopted: ip is\\nmissing

zone its c10: not adopted: disk\\nfull

looked at: there

1 pass CHECK, 3 can be adopted, 1 when the new list is in place, 1 cannot be helped, 1 need another cure, 1 cannot be looked at, 1 could not be written, 1 are not checked
`,
  );
});

test("what was written is told so, in colors where the terminal has them", () => {
  const text = textFor(cases.slice(0, 2), { isWritten: true, where: "there" }, { hasColors: true });
  expect(text).toContain("zone its c2: adopted\n");
  expect(text).toContain(`${styled({ hasColors: true }, "green", "+ /journal")}\n`);
  expect(text).toMatch(/\n1 pass CHECK, 1 adopted, 0 cannot be helped\n$/);
});

test("the JSON names each attachment, what becomes of it, and of a journal only the file", () => {
  const some = [cases[1], cases[2], cases[7]].flatMap((one) => one ?? []);
  const its = (containerId: string) => ({
    ...{ network: "zone", containerId, ifName: "eth0", file: `/results/zone-${containerId}-eth0` },
    workload: { runtime: "unknown", name: `its ${containerId}` },
  });
  const data = (adopted: boolean) => [
    { ...its("c2"), ...adoptable("eth0"), journal: "/journal", adopted },
    { ...its("c3"), ...adoptable("eth0"), adopted },
    { ...its("c8"), is: "unseen", error: "ip is\nmissing" },
  ];
  for (const isWritten of [true, false]) expect(JSON.parse(jsonOf(some, isWritten))).toEqual(data(isWritten));
});
