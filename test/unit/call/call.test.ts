import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { callWrapper, exits, messagesOf, printed } from "../support/fake-host.ts";
import { macvlanResult } from "../support/results.ts";

const zone = { cniVersion: "1.0.0", name: "zone" };

function callWith(command: string, stdin: JsonObject, calledAs = "bridge-wrapper") {
  const env = { CNI_COMMAND: command, CNI_WRAPPERS_LOG: "/log", CNI_WRAPPERS_LOG_LEVEL: "warn" };
  const machine = { answers: [exits(0, macvlanResult)], links: [7] };
  const outcome = callWrapper({ calledAs: `/opt/cni/bin/${calledAs}`, stdin: { ...zone, ...stdin }, env }, machine);
  return { ...outcome, warnings: messagesOf(outcome) };
}

describe("a prevResult that cannot be right", () => {
  test.each([
    ["ADD", { interfaces: [null] }],
    ["CHECK", { interfaces: [null] }],
    ["ADD", { ips: [{ address: "10.1.0.2/24", interface: -1 }] }],
    ["CHECK", { ips: [{ address: "10.1.0.2/24", interface: 0.5 }] }],
  ])("fails %s: %j", (command, prevResult) => {
    const outcome = callWith(command, { prevResult });
    expect(printed(outcome)).toMatchObject({ code: 7 });
    expect(outcome.runs).toEqual([]);
  });

  test("passes CHECK with the interface -1, which an ADD alone in its list may have returned: it means none", () => {
    const ips = [{ address: "10.1.0.2/24", interface: -1 }];
    const outcome = callWith("CHECK", { prevResult: { ...macvlanResult, ips } });
    expect(outcome.runs.map(({ stdin }) => stdin)).toMatchObject([{ prevResult: { ips: [{ interface: null }] } }]);
    expect(outcome.exitCode).toBe(0);
  });

  test("is left out of DEL, with a warning: an attachment must always be removable", () => {
    const outcome = callWith("DEL", { prevResult: { interfaces: [null] } });
    expect(outcome).toMatchObject({ exitCode: 0, runs: [{}] });
    expect(outcome.runs[0]?.stdin).not.toHaveProperty("prevResult");
    expect(outcome.warnings).toEqual([expect.stringContaining("prevResult")]);
  });
});

test.each(["GC", "STATUS"])("%s passes a prevResult on that cannot be right", (command) => {
  const prevResult = { interfaces: [null] };
  expect(callWith(command, { cniVersion: "1.1.0", prevResult })).toMatchObject({
    exitCode: 0,
    runs: [{ stdin: { prevResult } }],
  });
});

test.each(["GC", "STATUS"])("%s reads no journal by its own name: it is for no attachment", (command) => {
  const { asked } = callWith(command, { cniVersion: "1.1.0", "cni.dev/valid-attachments": [] });
  expect(asked.filter((path) => path.includes("zone:"))).toEqual([]);
});
