import { expect, test } from "vitest";
import type { LogLine } from "../../nomad/agent.ts";
import { outcomesIn } from "../../nomad/outcome.ts";

const passed = "network namespace exists and passed check: skipping setup";
const misconfigured = "network namespace already exists but was misconfigured";

function line(alloc_id: string, message: string, error?: string): LogLine {
  return { "@level": "info", "@message": message, "@timestamp": "", alloc_id, ...(error !== undefined && { error }) };
}

test.each<[string, LogLine[], object | undefined]>([
  ["CHECK passed", [line("a", passed)], { is: "passes" }],
  [
    "CHECK failed, and ADD follows",
    [
      line("a", "network configuration check failed", `${misconfigured}: Interface name missing `),
      line("a", "received result from CNI"),
    ],
    { is: "fails", error: "Interface name missing" },
  ],
  [
    "Nomad 1.9.5 gives up",
    [line("a", "prerun failed", `pre-run hook "network" failed: ${misconfigured}: no address`)],
    { is: "fails", error: "no address" },
  ],
  ["ADD without CHECK", [line("a", "failed to configure network", "file exists")], { is: "made again" }],
  [
    "no list",
    [line("a", "error running alloc", 'failed to load CNI config: CNI network config not found for name "n1"')],
    { is: "fails", error: "no list in the directories defines the network n1" },
  ],
  ["another allocation's lines", [line("b", passed)], undefined],
  ["other lines", [line("a", "Task event"), line("a", "error running alloc", "no disk")], undefined],
])("what a restart did: %s", (_, lines, outcome) => {
  expect(outcomesIn(lines).get("a")).toEqual(outcome);
});
