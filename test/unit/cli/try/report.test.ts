import { expect, test } from "vitest";
import { printable } from "../../../../cli/terminal.ts";
import { type Report, tryText } from "../../../../cli/try/report.ts";

const report: Report = {
  ...{ file: "zone.conflist", network: "zone", cniPath: ["/a", "/b"], notes: [], obstacles: [], added: [] },
  ...{ steps: [{ step: "ADD", outcome: "passes" }], left: [], stays: [], problems: [] },
};

/** The lines of the report. */
function linesOf(changes: Partial<Report>, hasColors = false): readonly string[] {
  return printable(tryText({ ...report, ...changes }, { hasColors })).split("\n");
}

const head = "zone.conflist: network zone, tried with the plugins in /a:/b";

test("each step, what it gave or why it failed, and the notes", () => {
  const interfaces = [
    { name: "eth0", addresses: ["10.0.0.2/24", "fd00::2/64"] },
    { name: "eth1", addresses: [] },
  ];
  const steps: Report["steps"] = [
    { step: "ADD", outcome: "passes", interfaces },
    { step: "CHECK", outcome: "fails", plugin: "bridge", position: 1, why: "lost\nmore", interfaces },
    { step: "again", outcome: "unknown", why: "no socket" },
    { step: "DEL", outcome: "not run" },
  ];
  expect(linesOf({ steps, notes: ["a\nb"], added: ["zone: added"] }, true)).toEqual([
    head,
    "step   outcome",
    "ADD    \u001B[32mpasses\u001B[39m   eth0 10.0.0.2/24 fd00::2/64, eth1",
    "CHECK  \u001B[31mfails\u001B[39m    bridge (plugin 2): lost\\nmore",
    "again  \u001B[33munknown\u001B[39m  no socket",
    "DEL    \u001B[2mnot run\u001B[22m",
    "left after DEL: nothing (compared: links, addresses, routes, rules, packet rules, files)",
    "not looked at: zone: added",
    "note: a\\nb",
    "",
  ]);
});

test.each<[string, Partial<Report>, readonly string[]]>([
  ["nothing was tried", { obstacles: ["it needs x"], notes: ["y"] }, ["zone.conflist: not tried", "  it needs x", ""]],
  ["one step leaves nothing to look at", {}, [head, "step  outcome", "ADD   passes", ""]],
])("%s", (_, changes, expected) => {
  expect(linesOf(changes)).toEqual(expected);
});

const [links, address] = [
  ["br0", "br1"].map((where) => ({ kind: "link", where }) as const),
  { kind: "address", where: "10.0.0.1/24 of br0" } as const,
];

const left = ["rule 7", "file /x"];
const stays = [address, ...links, address];

test.each<[string, Partial<Report>, readonly string[]]>([
  ["what cannot be read is not called nothing", { problems: ["ip: x"] }, ["not known", "not looked at: ip: x"]],
  ["what is left", { left, problems: ["ip: x"] }, ["2", "  rule 7", "  file /x", "not looked at: ip: x"]],
  ["what the plugins keep", { stays }, ["nothing", "the plugins keep: br0, br1, 2 addresses"]],
  ["no link that they keep", { stays: [{ kind: "file", where: "/x" }] }, ["nothing", "the plugins keep: 1 file"]],
])("%s", (_, changes, [count, ...lines]) => {
  const all = linesOf({ steps: [...report.steps, ...report.steps], ...changes });
  expect(all.slice(4)).toEqual([
    `left after DEL: ${count} (compared: links, addresses, routes, rules, packet rules, files)`,
    ...lines,
    "",
  ]);
});
