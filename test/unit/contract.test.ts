import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { readSection, type SectionName } from "../../build/docs/page-section.ts";
import { profiles } from "../../plugins/index.ts";
import { catalogue } from "../../shared/protocol/errors.ts";
import { wrapperKeys } from "../../shared/protocol/shapes.ts";

const root = new URL("../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");
const examples = globSync("conf-examples/*.conflist", { cwd: fileURLToPath(root) }).map(read);
const folders = readdirSync(new URL("plugins/", root), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

describe("plugins", () => {
  test("the list and the folders are the same", () => {
    expect(Object.keys(profiles).sort()).toEqual(folders.sort());
  });

  test.each(folders)("%s has a profile and a README with the headings of the others", (folder) => {
    expect(existsSync(new URL(`plugins/${folder}/profile.ts`, root))).toBe(true);
    const headings = read(`plugins/${folder}/README.md`).match(/^#+ .*$/gm);
    expect(headings).toEqual([`# ${folder}-wrapper`, "## Example", "## Notes and upstream bugs"]);
  });

  test("the table of plugins has a row for each, in the order of the list", () => {
    const rows = rowsOf("plugins").join("\n");
    const names = [...rows.matchAll(/^\| \[(\S+)\]\(\.\.\/plugins\/\1\/README\.md\)/gm)].map(([, name]) => name);
    expect(names).toEqual(Object.keys(profiles));
  });

  test.each(folders)("%s is in an example and has fixtures", (folder) => {
    expect(examples.filter((text) => text.includes(`"type": "${folder}-wrapper"`))).not.toEqual([]);
    const fixtures = globSync(`test/fixtures/**/*-${folder}-wrapper/request.json`, { cwd: fileURLToPath(root) });
    expect(fixtures.map((file) => /\d+-([A-Z]+)-/.exec(file)?.[1])).toEqual(
      expect.arrayContaining(["ADD", "CHECK", "DEL"]),
    );
  });

  test.each(folders)("the example of %s is JSON and starts the wrapper", (folder) => {
    const example = /```json\n([\s\S]*?)```/.exec(read(`plugins/${folder}/README.md`))?.[1] ?? "";
    expect(JSON.parse(example)).toMatchObject({ type: `${folder}-wrapper` });
  });
});

describe("docs", () => {
  test("the table of errors is the catalogue", () => {
    const rows = Object.values(catalogue).map(
      ({ code, msg, hint }) => `| ${code} | ${msg.replace("%s", "…")} | ${hint} |`,
    );
    expect(rowsOf("errors")).toEqual(rows);
  });

  test("every key of the wrapper block is described, and none that is not there", () => {
    const section = /## The wrapper block\n([\s\S]*?)\n## /.exec(read("docs/configuration.md"))?.[1] ?? "";
    const described = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, key]) => key);
    expect(described).toEqual(wrapperKeys);
  });
});

/** The rows of a table below its title. */
function rowsOf(name: SectionName): string[] {
  return readSection(name).split("\n").slice(2);
}
