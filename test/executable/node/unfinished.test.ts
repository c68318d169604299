import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { built, scratch } from "../../support/tree.ts";

test("a command that ends before its work is done is not called good", async () => {
  const silent = join(scratch(), "silent.cjs");
  // Nomad's agent answers nothing, and nothing keeps the process waiting for it.
  writeFileSync(silent, "require('node:http').request = () => ({ on: () => {}, end: () => {} });");
  const command = ["--require", silent, join(built("npm"), "cni-wrappers.cjs"), "preflight"];
  const { exitCode, stdout } = await execa(process.execPath, command, { reject: false });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
});
