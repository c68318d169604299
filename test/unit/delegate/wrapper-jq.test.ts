import { describe, expect, test } from "vitest";
import { callWrapper, type Machine, printed } from "../support/fake-host.ts";
import { hostJq } from "../support/jq.ts";

const portMappings = [{ containerPort: 80 }, { containerPort: 443 }];
const jq = "del(.runtimeConfig.portMappings[]? | select(.containerPort != 443))";

function call(command: string, wrapper: object, machine: Machine = { jq: hostJq }, more: object = {}) {
  const stdin = { cniVersion: "1.0.0", name: "zone", runtimeConfig: { portMappings }, wrapper, ...more };
  return callWrapper({ calledAs: "/opt/cni/bin/portmap-wrapper", env: { CNI_COMMAND: command }, stdin }, machine);
}

test("a jq program logs the rewritten configuration at debug", () => {
  const log = { file: "/log", level: "debug" };
  const lines = call("CHECK", { jq, log }).log.map(({ line }) => JSON.parse(line));
  expect(lines.filter(({ message }) => message.includes("jq"))).toMatchObject([
    {
      level: "debug",
      message: "plugin configuration after wrapper.jq",
      configuration: { type: "portmap", runtimeConfig: { portMappings: [{ containerPort: 443 }] } },
    },
  ]);
});

describe("a jq program that fails", () => {
  const cases: [string, string, string][] = [
    [".a|map(", "wrapper.jq, line 1, column 7: syntax error, unexpected end of file", "    .a|map(\n          ^"],
    [".\n| nothing", "wrapper.jq, line 2, column 3: nothing/0 is not defined", "    | nothing"],
    [".name.b", 'wrapper.jq: Cannot index string with string ("b")', "jq: error"],
    ['"no (at all)\n" | error', "wrapper.jq: no (at all)", "jq: error"],
    ["empty", "wrapper.jq must return one object, not nothing", "Fix it"],
    ["., .", "wrapper.jq must return one object, not {", "Fix it"],
    ["1, 2", "wrapper.jq must return one object, not 1 and 2", "Fix it"],
    ["[.]", "wrapper.jq must return one object, not [{", "Fix it"],
  ];

  test.each(cases)("is an error with jq's message: %j", (program, message, details) => {
    const outcome = call("ADD", { jq: program });
    expect(outcome).toMatchObject({ exitCode: 1, runs: [] });
    expect(printed(outcome)).toMatchObject({ code: 7, msg: expect.stringContaining(message) });
    expect(printed(outcome).details).toContain(details);
  });

  test.each(["DEL", "STATUS"])("does not fail %s: the delegate gets the original configuration", (command) => {
    const outcome = call(command, { jq: ".name.b", log: { file: "/log", level: "warn" } });
    expect(outcome).toMatchObject({ exitCode: 0, runs: [{ stdin: { runtimeConfig: { portMappings } } }] });
    expect(outcome.log.map(({ line }) => JSON.parse(line))).toMatchObject([
      {
        level: "warn",
        message:
          'invalid plugin configuration: wrapper.jq: Cannot index string with string ("b"); ' +
          "the delegate gets its configuration unfiltered",
        details: expect.stringContaining('Cannot index string with string ("b")'),
      },
    ]);
  });

  test("is reported with the host's message if there is none of jq", () => {
    const problem = "took longer than 5 s (jq: error: none)\nsee above";
    expect(printed(call("ADD", { jq }, { jq: () => ({ problem }) }))).toMatchObject({
      msg: "invalid plugin configuration: wrapper.jq: took longer than 5 s (jq: error: none)",
      details: expect.stringContaining(problem),
    });
  });

  test.each([
    ["x".repeat(60), "x".repeat(60)],
    ["x".repeat(61), `${"x".repeat(60)}…`],
  ])("is reported with the beginning of its output: %s", (output, shown) => {
    expect(printed(call("ADD", { jq }, { jq: () => ({ output }) })).msg).toBe(
      `invalid plugin configuration: wrapper.jq must return one object, not ${shown}`,
    );
  });

  test("fails DEL if the fault is the wrapper's own", () => {
    const jq = () => {
      throw new TypeError("broken");
    };
    expect(printed(call("DEL", { jq: "." }, { jq }))).toMatchObject({ code: 999 });
  });
});

describe("limits", () => {
  test("a host without jq reports it", () => {
    expect(printed(call("ADD", { jq }, {}))).toMatchObject({
      code: 7,
      msg: "invalid plugin configuration: wrapper.jq is not available in this build: use the Node flavor",
    });
    expect(call("CHECK", {}, {})).toMatchObject({ exitCode: 0 });
  });

  test.each([
    ["an empty program", " \n", "must be a jq program"],
    ["a program that is too long", `.${" ".repeat(16 * 1024)}`, "must not have more than 16384 characters"],
  ])("%s", (_, program, message) => {
    expect(printed(call("ADD", { jq: program })).msg).toBe(`invalid plugin configuration: wrapper.jq ${message}`);
  });

  test("a program of 16384 characters, and input of 1 MiB, and no more", () => {
    expect(call("CHECK", { jq: `.${" ".repeat(16 * 1024 - 1)}` })).toMatchObject({ exitCode: 0 });
    const rest = JSON.stringify({ cniVersion: "1.0.0", name: "zone", runtimeConfig: { portMappings }, x: "" }).length;
    const type = ',"type":"portmap"'.length;
    const fitting = "x".repeat(1024 * 1024 - rest - type);
    expect(call("CHECK", { jq: "." }, { jq: hostJq }, { x: fitting })).toMatchObject({ exitCode: 0 });
    expect(printed(call("ADD", { jq: "." }, { jq: hostJq }, { x: `${fitting}x` })).msg).toContain("more than 1 MiB");
  });
});
