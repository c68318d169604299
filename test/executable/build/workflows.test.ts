import { globSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { actionlint } from "../../support/go.ts";
import { root } from "../../support/tree.ts";

// Go builds the program once.
const timeout = 300_000;

test("actionlint finds no fault in the workflows", { timeout }, async () => {
  const cwd = join(root, ".github/workflows");
  // shellcheck and pyflakes are not on every machine.
  const args = ["-no-color", "-shellcheck=", "-pyflakes=", ...globSync("*.yml", { cwd }).sort()];
  const outcome = await execa(await actionlint(), args, { cwd, reject: false });
  expect(outcome).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
});
