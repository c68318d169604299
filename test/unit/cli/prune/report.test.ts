import { expect, test } from "vitest";
import { workloadOf } from "../../../../cli/live/workload.ts";
import { pruneJson, pruneText, type Row } from "../../../../cli/prune/report.ts";
import { knownOf, leaseOf } from "./support.ts";

const labels = [
  ["NOMAD_JOB_ID", "web"],
  ["NOMAD_GROUP_NAME", "db"],
];
const thing = leaseOf("90b7d1e4", "10.1.0.2");
const known = knownOf("90b7d1e4", "10.1.0.2", [], { cniArgs: labels });
const named = { thing, known, network: "zone", containerId: "90b7d1e4", why: undefined };
const orphan = {
  thing: leaseOf("c9", "10.1.0.9"),
  known: undefined,
  network: undefined,
  containerId: "c9",
  why: "some reason",
};
const rows: Row[] = [
  { finding: orphan, fate: "left", why: "some reason" },
  { finding: named, fate: "prunable", why: undefined },
];

test("a table, the reasons, and a line that sums up", () => {
  expect(
    pruneText(rows, { hasColors: false }, { names: workloadOf, where: "looked at: there" }),
  ).toBe(`network  container        what   where                                fate
         c9               lease  /var/lib/cni/networks/zone/10.1.0.9  left
zone     web/db 90b7d1e4  lease  /var/lib/cni/networks/zone/10.1.0.2  prunable

left: /var/lib/cni/networks/zone/10.1.0.9: some reason

looked at: there

1 can be pruned, 1 left; of 2 containers
`);
});

test("the runtime's own names come first", () => {
  const names = () => ({ runtime: "Nomad" as const, name: "web/db (mysql) 90b7d1e4" });
  expect(pruneText(rows, { hasColors: false }, { names, where: "" })).toContain(
    "zone     web/db (mysql) 90b7d1e4  lease",
  );
  expect(JSON.parse(pruneJson(rows, names))[1]).toMatchObject({ workload: { name: "web/db (mysql) 90b7d1e4" } });
});

test("nothing to prune", () => {
  expect(pruneText([], { hasColors: false }, { names: workloadOf, where: "looked at: there" })).toBe(
    "looked at: there\n\nNothing is left of an attachment whose namespace is gone.\n",
  );
  expect(pruneJson([], workloadOf)).toBe("[]\n");
});

test("JSON", () => {
  expect(JSON.parse(pruneJson(rows, workloadOf))).toEqual([
    {
      kind: "lease",
      where: "/var/lib/cni/networks/zone/10.1.0.9",
      containerId: "c9",
      fate: "left",
      why: "some reason",
    },
    {
      ...{ kind: "lease", where: "/var/lib/cni/networks/zone/10.1.0.2", network: "zone", containerId: "90b7d1e4" },
      ...{ workload: expect.objectContaining({ name: "web/db 90b7d1e4" }), fate: "prunable" },
    },
  ]);
});
