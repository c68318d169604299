import { expect, test } from "vitest";
import { argsOf } from "../../../shared/call/delegate-call.ts";

test("with wrapper.args as an object, a key may be mapped to itself, and any key may be mapped", () => {
  expect(argsOf("IP=1;MAC=2", { IP: "IP" }, true)).toBe("IP=1");
  expect(argsOf("GATEWAY=1;G=2", { GATEWAY: "G" }, true)).toBe("G=2;GATEWAY=2");
});
