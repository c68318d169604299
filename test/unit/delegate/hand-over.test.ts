import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { callWrapper, type Machine } from "../support/fake-host.ts";
import { bothResult } from "../support/results.ts";

const log = { file: "/log", level: "warn" };

/** A call with a `wrapper.jq` that adds the key `seen`. */
function call(command: string, wrapper: JsonObject, machine: Machine = {}) {
  const programs: string[] = [];
  const jq = (program: string, input: string) => {
    programs.push(program);
    return { output: JSON.stringify({ ...JSON.parse(input), seen: true }) };
  };
  const stdin = { cniVersion: "1.0.0", name: "zone", prevResult: bothResult, wrapper: { ...wrapper, jq: ".", log } };
  const outcome = callWrapper({ env: { CNI_COMMAND: command }, stdin }, { ...machine, jq });
  return { ...outcome, programs, lines: outcome.log.map(({ line }) => JSON.parse(line)) };
}

describe("DEL of an interface that prevResult does not list", () => {
  const eth9 = { ifName: "eth9", network: "disc" };
  const warning = "interface eth9 is not in prevResult: the delegate gets no prevResult";

  test("is a warning if the delegate is missing, too", () => {
    const { lines, programs, runs, exitCode } = call("DEL", eth9, { inspect: () => "missing" });
    expect(lines).toMatchObject([
      { level: "warn", message: warning },
      { level: "error", message: "delegate bridge is missing", code: 100 },
    ]);
    expect(lines).toHaveLength(2);
    expect({ programs, runs, exitCode }).toEqual({ programs: ["."], runs: [], exitCode: 1 });
  });
});
