import { describe, expect, test } from "vitest";
import { argsOf } from "../../../shared/call/delegate-call.ts";
import { frozen } from "../support/frozen.ts";

const both = frozen({ IP: "ETH1_IP", MAC: "ETH1_MAC" });

describe("CNI_ARGS with wrapper.args as an object", () => {
  test.each([
    [
      "ETH1_IP=10.0.0.9;ETH1_MAC=02:00:00:00:00:01",
      "ETH1_IP=10.0.0.9;ETH1_MAC=02:00:00:00:00:01;IP=10.0.0.9;MAC=02:00:00:00:00:01",
    ],
    ["IP=10.0.0.2;MAC=x;ETH1_IP=10.0.0.9", "ETH1_IP=10.0.0.9;IP=10.0.0.9"],
    ["A=1;IP=10.0.0.2;B", "A=1;B"],
    // It is not a pair, so it asks for nothing.
    ["A=1;IP;MAC", "A=1;IP;MAC"],
    ["", ""],
    // The last one counts, as in Go.
    ["ETH1_IP=1;ETH1_IP=2", "ETH1_IP=1;ETH1_IP=2;IP=2"],
    ["ETH1_IP=a=b", "ETH1_IP=a=b;IP=a=b"],
    // An empty value asks for nothing.
    ["ETH1_IP=;A=1", "ETH1_IP=;A=1"],
    ["XETH1_IP=1", "XETH1_IP=1"],
  ])("%j becomes %j, renamed or not", (args, expected) => {
    expect(argsOf(args, both, true)).toBe(expected);
    expect(argsOf(args, both, false)).toBe(expected);
  });

  test("an unmapped request is left out only for a renamed interface", () => {
    expect(argsOf("IP=1;MAC=2;E=3", { IP: "E" }, true)).toBe("E=3;IP=3");
    expect(argsOf("IP=1;MAC=2;E=3", { IP: "E" }, false)).toBe("MAC=2;E=3;IP=3");
  });

  test("a key may be mapped to itself, and any key may be mapped", () => {
    expect(argsOf("IP=1;MAC=2", { IP: "IP" }, true)).toBe("IP=1");
    expect(argsOf("GATEWAY=1;G=2", { GATEWAY: "G" }, true)).toBe("G=2;GATEWAY=2");
  });
});

test.each([
  [undefined, true, "A=1"],
  [undefined, false, "IP=1;MAC=2;A=1"],
  ["keep" as const, true, "IP=1;MAC=2;A=1"],
  [{}, true, "A=1"],
])("with %j, renamed: %j", (option, renamed, expected) => {
  expect(argsOf("IP=1;MAC=2;A=1", option, renamed)).toBe(expected);
});
