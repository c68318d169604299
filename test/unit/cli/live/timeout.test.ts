import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand, trouble } from "../../support/fake-terminal.ts";

// Nothing on this machine has the network of that list.
const lists = join(import.meta.dirname, "../../../fixtures/commands");
const timeoutOf = (command: string, seconds: string) =>
  runCommand([command, "--timeout", seconds, "--config-dir", lists, "--network", "shop"]);

// setTimeout takes each of these for a millisecond, and every plugin would fail.
test.each(["abc", "", "0", "-5", "NaN", "Infinity", "2147484"])("--timeout %j is refused", async (seconds) => {
  for (const command of ["preflight", "adopt"]) {
    expect(await timeoutOf(command, seconds)).toEqual(
      trouble(`option '--timeout <seconds>' argument '${seconds}' is invalid. Write seconds, from 0.1 to 86400.`),
    );
  }
});

test.each(["1", "0.5", "86400"])("--timeout %s is taken", async (seconds) => {
  expect(await timeoutOf("preflight", seconds)).toMatchObject({ exitCode: 0, stderr: "" });
});
