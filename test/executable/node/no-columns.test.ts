import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { execa } from "execa";
import { expect, test } from "vitest";
import { temporary } from "../../support/scratch.ts";
import { writeResult } from "../../unit/support/cached-results.ts";
import { bin } from "../support/machine.ts";

const hiddenCursor = "\u001b[?25l";
const ctrlC = "\u0003";

/** Runs a command in a terminal of 0 columns, as a serial console has it. It ends at its first question. Returns its lines. */
async function linesOf(args: string, through = ""): Promise<readonly string[]> {
  // Without a terminal of its own, script makes one of 0 columns.
  const command = `stty size; ${through} ${join(bin, "cni-wrappers")} ${args}`;
  const running = execa("script", ["--quiet", "--command", command, "/dev/null"], { reject: false });
  running.stdout.on("data", (data) => {
    if (String(data).includes(hiddenCursor)) running.stdin.write(ctrlC);
  });
  const { stdout } = await running;
  const [size, ...lines] = stripVTControlCharacters(stdout).split(/\r?\n/);
  expect(size).toBe("0 0");
  return lines;
}

test("in a terminal of 0 columns, --help has lines of the usual length", async () => {
  const [usage, , first] = await linesOf("preflight --help");
  expect(usage).toBe("Usage: cni-wrappers preflight [options]");
  expect(first).toBe("Runs CHECK for every attachment on this host, as the runtime would after a");
});

test("and a question is one line, not a letter a line", async () => {
  const directory = temporary();
  writeResult(directory, { netns: "/gone" });
  const lines = await linesOf(
    `prune --write --cache-dir ${directory}`,
    "unshare --net --mount --pid --fork --mount-proc",
  );
  expect(lines).toContainEqual(expect.stringMatching(/^\S {2}Remove what can be pruned\?$/));
});
