import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { actionlint } from "../../support/go.ts";
import { root, scratch } from "../../support/tree.ts";

// Go builds the program once.
const timeout = 300_000;

/** Checks the workflows of a directory. shellcheck and pyflakes are not on every machine. */
async function check(directory: string) {
  const files = globSync("*.yml", { cwd: directory }).sort();
  const options = ["-no-color", "-shellcheck=", "-pyflakes="];
  return execa(await actionlint(), [...options, ...files], { cwd: directory, reject: false });
}

test("actionlint finds no fault in the workflows", { timeout }, async () => {
  expect(await check(join(root, ".github/workflows"))).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
});

test("actionlint sees a job that needs a job of another name", { timeout }, async () => {
  const directory = scratch();
  cpSync(join(root, ".github/workflows"), directory, { recursive: true });
  const file = join(directory, "release.yml");
  writeFileSync(file, readFileSync(file, "utf8").replace("needs: build", "needs: builds"));
  const { exitCode, stdout } = await check(directory);
  expect(exitCode).toBe(1);
  expect(stdout).toContain('job "publish" needs job "builds" which does not exist');
});
