import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { callWrapper, exits, type Machine } from "../support/fake-host.ts";
import { blue, red } from "../support/requests.ts";
import { bothResult, macvlanResult } from "../support/results.ts";

const advice = 'wrap every plugin that makes an interface ("type": "macvlan-wrapper")';
const warning = (made: string): string =>
  `${made} made by an unwrapped plugin: its CHECK will fail because of the other interfaces; ${advice}`;

/** Runs an ADD of a third interface on a machine with records of these interfaces. Returns all its warnings. */
function adding(
  more: JsonObject,
  recorded: readonly string[] = [],
  env: Record<string, string> = {},
  machine: Machine = {},
) {
  const wrapper = { ifName: "eth2", ...(more.wrapper as JsonObject) };
  const stdin = { cniVersion: "1.0.0", name: "zone", prevResult: macvlanResult, ...more, wrapper };
  const files = Object.fromEntries(recorded.map((name) => [`/var/lib/cni/wrappers/zone:blue:eth0:${name}`, "{}"]));
  const logging = { CNI_WRAPPERS_LOG: "/log", CNI_WRAPPERS_LOG_LEVEL: "warn", ...env };
  const { log, stderr, exitCode } = callWrapper(
    { env: logging, stdin },
    { files, answers: [exits(0, "{}")], ...machine },
  );
  expect(exitCode).toBe(0);
  return { stderr, log: log.map(({ line }) => JSON.parse(line)) };
}

describe("an interface of prevResult without a record", () => {
  test("gives a warning in the log and one line on stderr", () => {
    const { log, stderr } = adding({});
    expect(log).toMatchObject([
      { level: "warn", command: "ADD", ifName: "eth2", message: warning("interface eth0 was") },
    ]);
    expect(stderr).toBe(`cni-wrappers: warning: ${warning("interface eth0 was")}\n`);
  });

  test("gives a warning with every value of recover", () => {
    expect(adding({ wrapper: { recover: "never" } }).stderr).toContain("interface eth0 was");
  });

  test("is reported on stderr without a log, and at every level", () => {
    for (const env of [{ CNI_WRAPPERS_LOG: "" }, { CNI_WRAPPERS_LOG_LEVEL: "error" }]) {
      expect(adding({}, [], env)).toMatchObject({ log: [], stderr: expect.stringContaining("interface eth0 was") });
    }
  });

  test.each([
    [[], "interfaces eth0, eth1 were"],
    [["eth1"], "interface eth0 was"],
    [["eth0"], "interface eth1 was"],
    [["eth2"], "interfaces eth0, eth1 were"],
  ])("among several: records of %j, %s", (recorded, made) => {
    const { stderr } = adding({ prevResult: bothResult }, recorded);
    expect(stderr).toBe(`cni-wrappers: warning: ${warning(made)}\n`);
  });

  test("is reported even if recovery is off", () => {
    expect(adding({ wrapper: { recover: "never" } }).stderr).toContain("interface eth0 was");
  });

  test("is named once, even in several sandboxes", () => {
    const prevResult = { interfaces: [blue, red].map((sandbox) => ({ name: "eth0", sandbox })) };
    expect(adding({ prevResult }).stderr).toBe(`cni-wrappers: warning: ${warning("interface eth0 was")}\n`);
  });
});

describe("there is no warning", () => {
  const lo = { name: "lo", sandbox: blue };

  test.each<[string, JsonObject, string[]]>([
    ["where all have records", { prevResult: bothResult }, ["eth0", "eth1"]],
    ["of the first in the chain", { prevResult: undefined }, []],
    ["of loopback's interface", { prevResult: { interfaces: [lo] } }, []],
    ["of host-side interfaces", { prevResult: { interfaces: [{ name: "cali1" }] } }, []],
    [
      "by a meta plugin",
      { prevResult: macvlanResult, wrapper: { ifName: "eth0", role: "meta", delegate: "other" } },
      [],
    ],
  ])("%s", (_, more, recorded) => {
    expect(adding(more, recorded)).toEqual({ log: [], stderr: "" });
  });

  test("if no record can be written", () => {
    const { stderr, log } = adding({}, [], {}, { writeProblem: "EROFS" });
    expect(stderr).toBe("");
    expect(JSON.stringify(log)).not.toContain("unwrapped");
  });

  test("if ADD fails", () => {
    const stdin = { cniVersion: "1.0.0", name: "zone", prevResult: macvlanResult, wrapper: { ifName: "eth2" } };
    expect(callWrapper({ stdin }, { answers: [exits(1, "{}")] }).stderr).toBe("");
  });

  test.each(["CHECK", "DEL"])("on %s", (CNI_COMMAND) => {
    const stdin = { cniVersion: "1.0.0", name: "zone", prevResult: bothResult, wrapper: { ifName: "eth1" } };
    expect(callWrapper({ env: { CNI_COMMAND }, stdin }).stderr).toBe("");
  });
});
