import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { callWrapper, exits, messagesOf, printed } from "../support/fake-host.ts";
import { chainedOf, entriesIn, journal, journalFiles } from "../support/journals.ts";
import { blue } from "../support/requests.ts";
import { bothResult, bridgeView, macvlanResult } from "../support/results.ts";

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
    ["CHECK", { ips: [{ address: "10.1.0.2/24", interface: -1 }] }],
  ])("fails %s: %j", (command, prevResult) => {
    const outcome = callWith(command, { prevResult });
    expect(printed(outcome)).toMatchObject({ code: 7 });
    expect(outcome.runs).toEqual([]);
  });

  test("is left out of DEL, with a warning: an attachment must always be removable", () => {
    const outcome = callWith("DEL", { prevResult: { interfaces: [null] } });
    expect(outcome).toMatchObject({ exitCode: 0, runs: [{}] });
    expect(outcome.runs[0]?.stdin).not.toHaveProperty("prevResult");
    expect(outcome.warnings).toEqual([expect.stringContaining("prevResult")]);
  });
});

test.each([
  ["1.0.0", "ADD", 7],
  ["0.2.0", "ADD", 1],
  ["0.2.0", "CHECK", 1],
])(
  "a prevResult of version %s that a renamed interface's %s cannot narrow fails with %s",
  (cniVersion, command, code) => {
    const stdin = { cniVersion, wrapper: { ifName: "eth1" }, prevResult: { interfaces: [null] } };
    expect(printed(callWith(command, stdin))).toMatchObject({ code });
  },
);

test("a version without chains is named in the error", () => {
  const stdin = { cniVersion: "0.2.0", wrapper: { ifName: "eth1" }, prevResult: {} };
  expect(printed(callWith("ADD", stdin))).toEqual({
    ...{ cniVersion: "0.2.0", code: 1, msg: "incompatible CNI versions" },
    details: expect.stringMatching(/^cniVersion is 0\.2\.0\./),
  });
});

test("an unknown plugin's DEL and CHECK have the role of its entry, whatever prevResult lists", () => {
  const began = chainedOf("mark", { ifName: "eth1" });
  const env = (CNI_COMMAND: string) => ({ CNI_COMMAND });
  const stdin = { ...zone, wrapper: { ifName: "eth1", network: "pool" }, prevResult: bothResult };
  const files = journalFiles(began);
  const shown = (command: string) =>
    callWrapper({ calledAs: "/opt/cni/bin/mark-wrapper", stdin, env: env(command) }, { files, links: [7] }).runs;
  // A creator without an entry would be asked twice, and get no host-side interfaces.
  expect(shown("CHECK")).toMatchObject([{ how: "exec", stdin: { prevResult: bridgeView } }]);
  expect(shown("DEL")).toMatchObject([{ stdin: { prevResult: bridgeView } }]);
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

test.each([
  ["makes its interface if prevResult has none of that name", [], "creator"],
  ["acts on the interface if prevResult has it", [{ name: "eth0", sandbox: blue }], "meta"],
])("an unknown plugin %s", (_, interfaces, role) => {
  const { files } = callWith("ADD", { prevResult: { cniVersion: "1.0.0", interfaces } }, "mark-wrapper");
  expect(entriesIn(files[journal])).toMatchObject([{ type: "mark", role }]);
});
