import { expect, test } from "vitest";
import { workloadOf } from "../../../../cli/live/workload.ts";
import type { Kind, Thing } from "../../../../cli/prune/known.ts";
import { pruneJson, pruneText, type Row } from "../../../../cli/prune/report.ts";
import { styled } from "../../../../cli/terminal.ts";
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
    pruneText(rows, { hasColors: false }, { names: workloadOf, where: "looked at: there", isAll: true }),
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
  expect(pruneText(rows, { hasColors: false }, { names, where: "", isAll: true })).toContain(
    "zone     web/db (mysql) 90b7d1e4  lease",
  );
  expect(JSON.parse(pruneJson(rows, names))[1]).toMatchObject({ workload: { name: "web/db (mysql) 90b7d1e4" } });
});

test("JSON", () => {
  const data = [
    {
      ...{ kind: "lease", where: "/var/lib/cni/networks/zone/10.1.0.9", containerId: "c9" },
      ...{ fate: "left", why: "some reason" },
    },
    {
      ...{ kind: "lease", where: "/var/lib/cni/networks/zone/10.1.0.2", network: "zone", containerId: "90b7d1e4" },
      ...{ workload: { runtime: "Nomad", name: "web/db 90b7d1e4" }, fate: "prunable" },
    },
  ];
  expect(pruneJson(rows, workloadOf)).toBe(`${JSON.stringify(data, null, 2)}\n`);
});

/** A row of a container that no result and no journal names. */
function rowOf(kind: Kind, containerId: string | undefined, more: Partial<Row> = {}, network = "zone"): Row {
  const thing: Thing = { ...leaseOf(containerId ?? "", "10.1.0.2"), kind, where: `${kind} of ${containerId}` };
  return {
    finding: { thing, known: undefined, network, containerId, why: more.why },
    ...{ fate: "pruned", why: undefined },
    ...more,
  };
}

const plainText = (shown: readonly Row[]) =>
  pruneText(shown, { hasColors: false }, { names: workloadOf, where: "there", isAll: true });

test("a line break in a name begins no line", () => {
  const text = plainText([rowOf("lease", "c1", { fate: "left", why: "/results/zone-c\n1 cannot be read" })]);
  expect(text).toContain("\nleft: lease of c1: /results/zone-c\\n1 cannot be read\n");
});

test("the rows are sorted by network, container and the order of removal", () => {
  const all = ["result", "journal", "backup", "lease", "link", "rule"] as const;
  const shown = [
    ...[rowOf("rule", "c1", {}, "zone2"), ...all.map((kind) => rowOf(kind, "c2")), rowOf("lease", "c10")],
    ...[rowOf("lease", "c1"), rowOf("rule", "0123456789abcdef", {}, "area"), rowOf("rule", undefined)],
  ];
  expect(plainText(shown)).toBe(`network  container     what     where                     fate
area     0123456789ab  rule     rule of 0123456789abcdef  pruned
zone                   rule     rule of undefined         pruned
zone     c1            lease    lease of c1               pruned
zone     c10           lease    lease of c10              pruned
zone     c2            rule     rule of c2                pruned
zone     c2            link     link of c2                pruned
zone     c2            lease    lease of c2               pruned
zone     c2            backup   backup of c2              pruned
zone     c2            journal  journal of c2             pruned
zone     c2            result   result of c2              pruned
zone2    c1            rule     rule of c1                pruned

there

11 pruned, 0 left; of 5 containers
`);
});

test("more than five containers of one network with the same are one group, and one reason is told five times", () => {
  const ids = (count: number, letter: string) => Array.from({ length: count }, (_, at) => `${letter}${at}`);
  const left = { fate: "left", why: "no reason" } as const;
  const shown = [
    ...ids(6, "a").flatMap((id) => [rowOf("rule", id), rowOf("lease", id, left)]),
    ...ids(5, "b").map((id) => rowOf("rule", id)),
    ...ids(6, "c").map((id) => rowOf("rule", id, {}, "other")),
  ];
  expect(plainText(shown)).toBe(`network  container     what   where       fate
other    6 containers  rule   6 of them   pruned
zone     6 containers  rule   6 of them   pruned
zone     6 containers  lease  6 of them   left
zone     b0            rule   rule of b0  pruned
zone     b1            rule   rule of b1  pruned
zone     b2            rule   rule of b2  pruned
zone     b3            rule   rule of b3  pruned
zone     b4            rule   rule of b4  pruned

6 containers of other: c0, c1, c2, c3, c4, c5
6 containers of zone: a0, a1, a2, a3, a4, a5

left: lease of a0: no reason
left: lease of a1: no reason
left: lease of a2: no reason
left: lease of a3: no reason
left: lease of a4: no reason
and 1 more: no reason

there

17 pruned, 6 left; of 17 containers
`);
  const unlike = ids(6, "d").map((id, at) => rowOf(at < 3 ? "rule" : "lease", id));
  expect(plainText(unlike)).not.toContain("6 containers  ");
  const whys = ["x", "x", "x", "x", "x", "y"].map((why, at) => rowOf("lease", `a${at}`, { fate: "left", why }));
  expect(plainText(whys)).not.toContain("more");
  expect(plainText(whys)).toContain("left: lease of a5: y");
});

test.each([
  ["prunable", "red"],
  ["pruned", "green"],
  ["left", "yellow"],
] as const)("on a terminal with colors, %s is %s", (fate, color) => {
  const text = pruneText(
    [rowOf("rule", "c1", { fate })],
    { hasColors: true },
    { names: workloadOf, where: "", isAll: true },
  );
  const [start = ""] = styled({ hasColors: true }, color, "|").split("|");
  expect(text).toContain(`${start}${fate}`);
  expect(text).toContain(fate === "pruned" ? "\n1 pruned, 0 left" : " can be pruned, ");
});
