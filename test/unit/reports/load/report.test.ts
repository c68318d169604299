import { expect, test } from "vitest";
import { isFlat } from "../../../reports/load/memory.ts";
import {
  type Call,
  kindOf,
  type LoadResult,
  ownProblems,
  problemsOf,
  type Story,
} from "../../../reports/load/report.ts";

const passed = (verb: Call["verb"], killed?: string): Call => ({ verb, killed, failure: undefined });
const failed = (verb: Call["verb"], failure: string, killed?: string): Call => ({ verb, killed, failure });
const whole = [passed("ADD"), passed("CHECK"), passed("DEL")];

function loadOf(story: Partial<Story>, more: Partial<LoadResult> = {}): LoadResult {
  const stories = [{ chain: "ports", number: 3, calls: whole, left: [], ...story }];
  return { title: "slim", chains: ["ports"], count: 1, orders: 0, stories, left: [], ...more };
}

const [, check, del] = whole as [Call, Call, Call];
const between: Call = { ...failed("DEL", "busy"), isBetween: true };

const killed = failed("ADD", "died", "bridge");
const exists = failed("ADD", "exists");
const ofCalls = (...calls: Call[]) => loadOf({ calls });
const [rule, other] = ["c3", "c4"].map((id) => `+-A X --comment "name: \\"a\\" id: \\"${id}\\""`);
const killedDel = [passed("ADD"), passed("CHECK"), failed("DEL", "died", "bridge"), passed("DEL")];
const unnamed = "veth7a1865ea@if3";

test.each<[string, LoadResult, string[]]>([
  ["every call passed", loadOf({}), []],
  ["a killed ADD passes again", ofCalls(killed, ...whole), []],
  ["a killed ADD passes at the third try", ofCalls(killed, exists, ...whole), []],
  ["ADD fails without a kill", ofCalls(exists, ...whole), ["ports c3: ADD failed without a kill: exists"]],
  [
    "a killed ADD never passes",
    ofCalls(killed, exists, exists, del),
    [
      ...["ADD", "CHECK"].map((verb) => `slim: ${verb} of ports passed for 0 attachments of 1`),
      "ports c3: ADD failed at every try: exists",
    ],
  ],
  ["a DEL between two tries fails", ofCalls(killed, between, ...whole), ["ports c3: DEL after a failed ADD: busy"]],
  [
    "a kill of CHECK excuses no DEL",
    ofCalls(passed("ADD"), failed("CHECK", "died", "bridge"), check, failed("DEL", "busy"), del),
    ["ports c3: DEL failed without a kill: busy"],
  ],
  ["a link is left", loadOf({ left: ["eth1"] }), ["ports c3: left in its namespace: eth1"]],
  [
    "a link that a killed macvlan has not named is left",
    loadOf({ calls: [failed("ADD", "died", "macvlan"), ...whole], left: [unnamed, "eth1@if3"] }),
    ["ports c3: left in its namespace: eth1@if3"],
  ],
  [
    "such a link is left, and no macvlan was killed",
    loadOf({ calls: [killed, ...whole], left: [unnamed] }),
    [`ports c3: left in its namespace: ${unnamed}`],
  ],
  ["a lease is left", loadOf({}, { left: ["+lease"] }), ["left: +lease"]],
  [
    "a rule is left by a DEL that was killed, and one by a DEL that was not",
    loadOf({ calls: killedDel }, { left: [`${rule}`, `${other}`] }),
    [`left by a killed DEL: ${rule}`, `left: ${other}`],
  ],
  [
    "fewer than a tenth of the kills happened",
    loadOf({ calls: [killed, ...whole] }, { orders: 11 }),
    ["slim: 1 kills, although 11 were ordered"],
  ],
  [
    "fewer attachments ran",
    loadOf({}, { count: 2 }),
    [
      "slim: 1 attachments of 2",
      ...["ADD", "CHECK", "DEL"].map((verb) => `slim: ${verb} of ports passed for 1 attachments of 1`),
    ],
  ],
])("%s", (_, result, problems) => {
  expect(problemsOf(result)).toEqual(problems);
});

test("a problem that the plain plugins have as well is not one of the wrappers", () => {
  const rule = (name: string, id: string) =>
    `left: +-A CNI-0123456789ab --comment "name: \\"${name}\\" id: \\"${id}\\"" -j ACCEPT`;
  expect(ownProblems([rule("twins-eth1", "c7")], [rule("twins", "c12")])).toEqual([]);
  const plain = ["ports c7: DEL failed without a kill: iptables: line 12 failed: CNI-0a1b2c3d4e5f for 10.0.0.9"];
  const same = "twins c12: DEL failed without a kill: iptables: line 3 failed: CNI-99aabbccdd01 for 10.0.0.11";
  const other = "twins c12: ADD failed without a kill: iptables: line 3 failed: CNI-99aabbccdd01 for 10.0.0.11";
  expect(ownProblems([same, other], plain)).toEqual([other]);
  expect(kindOf("twins c1: veth12ab34cd of 02:00:00:00:00:01")).toBe(
    kindOf("ports c22: veth98fe76dc of 0a:00:00:00:00:0f"),
  );
});

test.each([
  [2000, 2000, true],
  [2000, 2200, true],
  [2000, 2201, false],
  [Number.NaN, 2000, false],
  [2000, Number.NaN, false],
  [0, 0, false],
])("one call needs %s KiB, and many at once at most %s: flat is %s", (alone, atOnce, flat) => {
  expect(isFlat({ verb: "ADD", alone, atOnce })).toBe(flat);
});
