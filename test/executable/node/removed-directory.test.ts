import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { bin } from "../support/machine.ts";

test.each(["version", "status", "lint zone.conflist"])(
  "in a directory that was removed, `%s` says so in one line",
  async (args) => {
    const directory = mkdtempSync(join(tmpdir(), "cni-wrappers-removed-"));
    const command = `rmdir ${directory} && exec ${join(bin, "cni-wrappers")} ${args}`;
    const { exitCode, stdout, stderr } = await execa("sh", ["-c", command], { cwd: directory, reject: false });
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: "cni-wrappers: the current directory was removed; change to another one",
    });
  },
);
