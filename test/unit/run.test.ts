import { describe, expect, test } from "vitest";

import {
  type Call,
  callWrapper,
  commandsOf,
  exits,
  type FakeAnswer,
  type Outcome,
  printed,
} from "./support/fake-host.ts";
import { blue } from "./support/requests.ts";
import { bothResult, bridgeResult, macvlanResult } from "./support/results.ts";
import { withShallowJson } from "./support/shallow-json.ts";

const zone = { cniVersion: "1.0.0", name: "zone" };
const first: Call = { stdin: { ...zone, type: "bridge-wrapper" } };
const second: Call = { stdin: { ...zone, wrapper: { ifName: "eth1" }, prevResult: macvlanResult } };

function calling(command: string, call: Call = first): Call {
  return { ...call, env: { ...call.env, CNI_COMMAND: command } };
}

test("VERSION is handed over with its own unread stdin", () => {
  const { runs, stdout } = callWrapper(calling("VERSION"), { answers: [exits(0, "versions")] });
  expect(runs).toMatchObject([{ how: "exec", path: "/opt/cni/bin/bridge", stdin: undefined }]);
  expect(stdout).toBe("versions");
});

describe("ADD", () => {
  test("the spliced result is printed once", () => {
    const outcome = callWrapper(second, { answers: [exits(0, bridgeResult)] });
    expect(outcome).toMatchObject({ exitCode: 0, writes: 1 });
    expect(printed(outcome)).toStrictEqual(bothResult);
    expect(outcome.stdout).toMatch(/^\{\n {4}"/);
  });

  test("if nothing changes, the delegate's bytes are printed", () => {
    const odd = '  {"ips":[ ],\n\t"n": 12345678901234567890, "n": 1e2}\r\n\n';
    expect(callWrapper(first, { answers: [exits(0, odd)] })).toMatchObject({ exitCode: 0, stdout: odd, writes: 1 });
  });
});

describe("the wrapper fails after the delegate's ADD succeeded", () => {
  const broken = [
    ["no UTF-8", Buffer.from([0x7b, 0xff, 0x7d])],
    ["a byte order mark", "\uFEFF{}"],
    ...["", "[]", "null", "{}{}"].map((text) => [`the text "${text}"`, text] as const),
  ] as const;
  const unusable = [
    ["an index out of range", { ips: [{ address: "10.0.0.2/24", interface: 1 }] }],
    ["an interface without a name", { interfaces: [{ sandbox: blue }] }],
    ["another version than is known", { cniVersion: "2.0.0" }],
  ] as const;

  test.each([...broken, ...unusable])("by %s: its DEL is run, then the error is reported", (_, output) => {
    const outcome = callWrapper(second, { answers: [exits(0, output), exits(0)] });
    expect(printed(outcome)).toMatchObject({ code: 102, msg: "output of delegate bridge is invalid" });
    expectUndone(outcome);
  });

  function expectUndone({ exitCode, writes, runs }: Outcome): void {
    expect({ exitCode, writes }).toEqual({ exitCode: 1, writes: 1 });
    const [add] = runs;
    expect(runs).toStrictEqual([add, { ...add, env: { ...add?.env, CNI_COMMAND: "DEL" } }]);
  }

  test.each(unusable)("alone in its chain it may return anything: %s", (_, output) => {
    const outcome = callWrapper(first, { answers: [exits(0, output)] });
    expect(outcome).toMatchObject({ exitCode: 0, stdout: JSON.stringify(output), runs: [{ how: "spawn" }] });
  });

  test.each([
    ["no JSON object", "done", "it is not a JSON object"],
    ["a number like infinity", '{"mtu":1e400}', "a number is too large"],
    ["500,001 commas", `[0${",0".repeat(500_001)}]`, "it has more than 500,000 commas and opening brackets"],
    ["a result that is none", { ips: [{}] }, "result.ips[0].address must be a string"],
    ["another version", { cniVersion: "2.0.0" }, "a result of cniVersion 2.0.0 cannot be spliced"],
  ])("the details of %s name the problem and say that nothing is left", (_, output, what) => {
    const outcome = callWrapper(second, { answers: [exits(0, output), exits(0)] });
    const hint =
      "The plugin is faulty. At level debug, the log has its answer (up to 8 MiB). After an ADD, the wrapper runs its DEL to clean up.";
    expect(printed(outcome).details).toBe(`${what}. ${hint}`);
  });

  test("the log has the error before the DEL, and the DEL under its own name", () => {
    const env = { CNI_WRAPPERS_LOG: "/log" };
    const { log } = callWrapper({ ...second, env }, { answers: [exits(0, { ips: [{}] }), exits(0)] });
    const lines = log.map(({ line }) => JSON.parse(line)).filter(({ level }) => level !== "warn");
    expect(lines).toMatchObject([
      { level: "info", message: "delegate passed ADD" },
      {
        level: "error",
        message: "output of delegate bridge is invalid; running the delegate's DEL",
        details: expect.stringContaining("result.ips[0].address must be a string"),
      },
      { level: "info", message: "delegate passed DEL" },
      { level: "error", code: 102 },
    ]);
  });

  describe("by an answer that is nested too deeply", () => {
    const deep = (levels: number) => `{"ips":[],"more":${"[".repeat(levels)}${"]".repeat(levels)}}`;

    test.each([
      ["read", () => withShallowJson(() => callWrapper(second, { answers: [exits(0, deep(4)), exits(0)] }))],
      ["written again", () => callWrapper(second, { answers: [exits(0, deep(100_000)), exits(0)] })],
    ])("to be %s: its DEL is run", (_, call) => {
      const outcome = call();
      expect(printed(outcome)).toMatchObject({ code: 102, details: expect.stringContaining("nested too deeply") });
      expect(commandsOf(outcome)).toEqual(["ADD", "DEL"]);
    });

    test("to be read, alone in its chain: the runtime gets it unchanged", () => {
      const outcome = withShallowJson(() => callWrapper(first, { answers: [exits(0, deep(4))] }));
      expect(outcome).toMatchObject({ exitCode: 0, stdout: deep(4), runs: [{ how: "spawn" }] });
    });
  });

  test("its answer was cut off", () => {
    const outcome = callWrapper(first, { answers: [{ ended: "too much output" }, exits(0)] });
    expect(printed(outcome)).toMatchObject({ code: 102, details: expect.stringContaining("more than 8 MiB") });
    expect(commandsOf(outcome)).toEqual(["ADD", "DEL"]);
  });

  test.each<[string, FakeAnswer, string]>([
    ["with an error", exits(1, '{"code":11,"msg":"busy"}'), "failed as well: busy"],
    ["without a word", exits(5), "exit code 5"],
    ["with words that are not UTF-8", exits(5, Buffer.from([0x7b, 0xff, 0x7d])), "exit code 5"],
    ["by a signal", { ended: "signal", signal: "SIGTERM" }, "delegate bridge died"],
    ["before it begins", { ended: "not started", reason: "ENOENT" }, "delegate bridge cannot be started"],
    ["with too many words", { ended: "too much output" }, "output of delegate bridge is invalid"],
  ])("if its DEL fails %s, the first error says so", (_, del, words) => {
    const outcome = callWrapper(second, { answers: [exits(0, "done"), del] });
    expect(outcome).toMatchObject({ exitCode: 1, writes: 1 });
    expect(printed(outcome)).toMatchObject({
      code: 102,
      details: expect.stringMatching(/it is not a JSON object.*The delegate's DEL failed as well: /),
    });
    expect(printed(outcome).details).toContain(words);
    expect(commandsOf(outcome)).toEqual(["ADD", "DEL"]);
  });
});

test.each([
  ["nested too deeply to be written again", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, "it is nested too deeply."],
  ["with a number like infinity", "1e400", "it has a number that is too large."],
  ["with one like minus infinity inside", '[{"x":-1e400}]', "it has a number that is too large."],
])("ADD and CHECK of a configuration %s: code 6", (_, value, why) => {
  for (const command of ["ADD", "CHECK"]) {
    const outcome = callWrapper(calling(command, { stdin: `{"cniVersion":"1.0.0","name":"zone","x":${value}}` }));
    expect(printed(outcome)).toMatchObject({ code: 6, details: expect.stringContaining(why) });
  }
});

test("the wrapper's own error is indented by four spaces, as Go plugins do, and has the runtime's version", () => {
  expect(callWrapper({ stdin: "{" }).stdout).toMatch(/^\{\n {4}"cniVersion": "1\.1\.0",\n {4}"code": 6,\n/);
  const outcome = callWrapper({ stdin: { ...zone, wrapper: { unknown: 1 } } });
  expect(printed(outcome)).toMatchObject({ code: 7, cniVersion: "1.0.0" });
  expect(printed(callWrapper({ stdin: new Error("EISDIR") })).details).toMatch(/^EISDIR\. /);
});

const own = ["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"];

test.each([
  ["a probe of podman", { env: { CNI_PATH: "dummy" }, stdin: { cniVersion: "0.4.0" } }, "0.4.0"],
  ["without stdin", { env: { CNI_PATH: "dummy" }, stdin: "" }, "1.1.0"],
  ["with stdin that is none", { env: { CNI_PATH: "dummy" }, stdin: "{" }, "1.1.0"],
  ["under the executable's own name", { calledAs: "cni-wrappers", stdin: { cniVersion: "1.0.0" } }, "1.0.0"],
])("VERSION without a delegate, %s: the wrapper's own list, in the requested version", (_, call, cniVersion) => {
  const outcome = callWrapper(calling("VERSION", call));
  expect(outcome).toMatchObject({ exitCode: 0, writes: 1, runs: [] });
  expect(printed(outcome)).toStrictEqual({ cniVersion, supportedVersions: own });
});
