import { expect, test } from "vitest";
import { callWrapper } from "../support/fake-host.ts";
import { bothResult } from "../support/results.ts";

test("DEL of an interface that prevResult does not list, by a delegate that is missing: a warning, and wrapper.jq runs", () => {
  const programs: string[] = [];
  const jq = (program: string, output: string) => {
    programs.push(program);
    return { output };
  };
  const wrapper = { ifName: "eth9", network: "disc", jq: ".", log: { file: "/log", level: "warn" } };
  const stdin = { cniVersion: "1.0.0", name: "zone", prevResult: bothResult, wrapper };
  const { log, runs, exitCode } = callWrapper({ env: { CNI_COMMAND: "DEL" }, stdin }, { inspect: () => "missing", jq });
  expect(log.map(({ line }) => JSON.parse(line))).toMatchObject([
    { level: "warn", message: "interface eth9 is not in prevResult: the delegate gets no prevResult" },
    { level: "error", message: "delegate bridge is missing", code: 100 },
  ]);
  expect({ programs, runs, exitCode }).toEqual({ programs: ["."], runs: [], exitCode: 1 });
});
