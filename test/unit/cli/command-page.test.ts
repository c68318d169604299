import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { renewedPage } from "../../../build/docs/command-page.ts";
import { runCommand } from "../support/fake-terminal.ts";

const page = readFileSync(path.join(import.meta.dirname, "../../../docs/commands.md"), "utf8");

test("the page has the real output of its commands (if not: npm run docs:commands -- --write)", async () => {
  expect(page.match(/^<!-- command: /gm)?.length).toBeGreaterThan(3);
  expect(await renewedPage(page)).toBe(page);
});

test("each command has a section, and the list at the top leads to it", async () => {
  const { stdout } = await runCommand(["--help"]);
  const names = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = ""]) => name).filter((name) => name !== "help");
  const sections = [...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
  expect(sections).toEqual(expect.arrayContaining(names));
  for (const name of names) expect(page).toContain(`[${name}](#${name})`);
});

test("a mark names a command, with its first lines if it ends with head", async () => {
  const text = "before\n<!-- command: cni-wrappers man lint | head -1 -->\nold\n<!-- /command -->\nafter\n";
  const lines = (await renewedPage(text)).split("\n");
  expect(lines.slice(2, 4)).toEqual(["```console", "$ cni-wrappers man lint | head -1"]);
  expect(lines[4]).toMatch(/^\.TH CNI/);
  expect(lines.slice(5)).toEqual(["```", "<!-- /command -->", "after", ""]);
});
