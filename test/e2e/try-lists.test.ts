import { availableParallelism } from "node:os";
import { beforeAll, describe, expect, test } from "vitest";
import { atOnce } from "../../cli/live/at-once.ts";
import { Lab, type Outcome } from "../support/lab.ts";
import { type Row, right, untried, wrong } from "./try-lists.ts";
import { processesOf, stateOf, usedHost } from "./try-support.ts";

const rows = Object.entries({ ...right, ...wrong, ...untried });
/** The kinds of links that this kernel has. */
const kinds = new Set<string>();
const outcomes = new Map<string, Outcome & { readonly isUntouched: boolean }>();

beforeAll(async () => {
  await using lab = await usedHost();
  for (const [kind, options] of Object.entries({ dummy: [], ipvlan: [], vlan: ["id", "7"], vrf: ["table", "7"] })) {
    const on = kind.endsWith("vlan") ? ["link", "uplink0"] : [];
    const made = await lab.call("ip", ["link", "add", ...on, "probe0", "type", kind, ...options]);
    if (made.exitCode === 0) kinds.add(kind);
    await lab.call("ip", ["link", "delete", "probe0"]);
  }
  const before = await stateOf(lab);
  const processes = processesOf(lab);
  await atOnce(rows, availableParallelism(), async ([name, { list, args = [] }]) => {
    const file = `/run/lab/net.d/${name.replaceAll(/\W/g, "-")}.conflist`;
    await lab.writeFile(file, JSON.stringify(list));
    const outcome = await lab.call(Lab.command, ["try", "--json", ...args, file]);
    // A try of another list runs meanwhile: that must change nothing, either.
    const after = await stateOf(lab);
    outcomes.set(name, { ...outcome, isUntouched: after === before });
  });
  expect(processesOf(lab)).toEqual(processes);
  // 28 lists, a second or two each.
}, 300_000);

describe.each(
  Object.entries({
    "a list that passes": right,
    "a list that fails": wrong,
    "a list that cannot be tried here": untried,
  }),
)("%s", (_, table) => {
  test.each(Object.entries(table))("%s", (name, row) => {
    const { stdout, stderr, exitCode, isUntouched } = outcomes.get(name) ?? expect.fail("it was not run");
    expect({ stderr, isUntouched }).toEqual({ stderr: "", isUntouched: true });
    const { notes, gives, exit, says = [] } = withoutKind(row);
    const report = JSON.parse(stdout);
    expect({ exit: exitCode, says: saidIn(report), ...(gives !== undefined && { gives: givenIn(report) }) }).toEqual({
      exit,
      says,
      ...(gives !== undefined && { gives }),
    });
    if (notes) expect(report.notes).toEqual(notes);
  });
});

/** What this kernel must say to a list with a kind of link that it lacks. */
function withoutKind(row: Row): Row {
  const [kind, words] = row.needs ?? ["", ""];
  if (kind === "" || kinds.has(kind)) return row;
  return { list: row.list, exit: 1, says: [`ADD of a container: fails: ${words}`] };
}

interface Report {
  readonly obstacles: readonly string[];
  readonly left: readonly string[];
  readonly steps: readonly {
    step: string;
    outcome: string;
    plugin?: string;
    position?: number;
    why?: string;
    interfaces?: { name: string; addresses: string[] }[];
  }[];
}

function saidIn({ obstacles, steps, left }: Report): Row["says"] {
  const failed = steps.filter(({ outcome }) => outcome !== "passes");
  return [
    ...obstacles.map((line) => `not tried: ${line}`),
    ...failed.map(({ step, outcome, plugin, position, why }) => {
      const who = plugin === undefined ? "" : `${plugin} (plugin ${Number(position) + 1}): `;
      return `${step}: ${outcome}: ${who}${why}`.replace(/veth[0-9a-f]{8}/g, "vethX");
    }),
    ...left.map((line) => `left: ${line}`),
  ];
}

function givenIn({ steps: [first] }: Report): string | undefined {
  return first?.interfaces?.map(({ name, addresses }) => [name, ...addresses].join(" ")).join(", ");
}
