import { expect, test } from "vitest";
import { Machine } from "../../support/machine.ts";

test("a log has the whole of a large value, and so has the delegate", async () => {
  const large = `"${"x".repeat(40_000)}"`;
  const machine = new Machine();
  const wrapper = { log: { file: machine.path("log"), level: "debug" } };
  await machine.call({ command: "CHECK", configuration: { wrapper, more: "x".repeat(40_000) } });
  const logged = String(machine.read("log"));
  expect(logged.split(large)).toHaveLength(3);
  expect(String(machine.received("CHECK"))).toContain(`"more":${large}`);
});
