import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { commands } from "../../../cli/page/commands.ts";
import { examples, listOf as readExample } from "../../support/examples.ts";
import { runCommand } from "../support/fake-terminal.ts";

const directory = mkdtempSync(join(tmpdir(), "page-"));
afterAll(() => rmSync(directory, { recursive: true }));

const name = "zone.conflist";

/** What a command of the executable prints about a list. */
async function printed(text: string, ...args: string[]): Promise<string> {
  writeFileSync(join(directory, name), text);
  return (await runCommand([...args, name], { directory })).stdout;
}

/** A journal's entry has the time of the call in its id, in milliseconds. */
const withoutTime = (text: string) => text.replaceAll(/"id": "1-\d{13}-/g, '"id": "1-time-');

const [example = ""] = Object.keys(examples);
const ipam = { type: "host-local", subnet: "10.1.0.0/24" };
const plain = { type: "macvlan", master: "ens18", ipam };

describe.each([
  ["a list that wrap changes", { cniVersion: "1.0.0", name: "zone", plugins: [plain, { ...plain, type: "ptp" }] }],
  ["a list with mistakes", { cniVersion: "1.0.0", name: "zone", plugins: [plain, { ...plain, portmap: 1 }] }],
  ["an example", readExample(example)],
])("%s: the page's console answers as the commands do", (_, list) => {
  const text = JSON.stringify(list, null, 2);

  test("lint", async () => {
    expect(commands.lint(name, text)).toBe(await printed(text, "lint", "--json"));
  });

  test("wrap", async () => {
    expect(commands.wrap(name, text)).toBe(await printed(text, "wrap"));
  });

  test.each(["ADD", "CHECK", "DEL"] as const)("explain %s", async (verb) => {
    const data = await printed(text, "explain", "--json", "--verb", verb);
    expect(withoutTime(commands.explainJson(name, text, verb))).toBe(withoutTime(data));
    const [before, table] = (await printed(text, "explain", "--verb", verb)).split("\nhost ");
    expect(withoutTime(commands.explain(name, text, verb))).toBe(withoutTime(before ?? ""));
    expect(table ?? "").toMatch(/^(?: *plugin +interface +address\n[^{}]*)?$/);
  });
});

test.each(["[]", "{", '{ "name": "zone",, }'])("%s is no list", (text) => {
  expect(() => commands.wrap(name, text)).toThrow("this is not a list");
});
