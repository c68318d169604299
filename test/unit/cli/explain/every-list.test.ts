import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { attachmentTable } from "../../../../cli/explain/attachment-table.ts";
import { exampleAttachment, exampleSource } from "../../../../cli/explain/example-source.ts";
import { explain } from "../../../../cli/explain/explain.ts";
import { explanationText } from "../../../../cli/explain/text.ts";
import { readListFile } from "../../../../cli/lists/find-files.ts";
import { listOf } from "../../../../cli/lists/list.ts";
import { root } from "./support.ts";

const screen = { hasColors: false, width: 80 };
const files = globSync("test/fixtures/**/*.{conf,conflist}", { cwd: root }).sort();
const lists = files.flatMap((file) => {
  const read = readListFile(file, root);
  return read.errors.length > 0 ? [] : (listOf(read) ?? []);
});

test("there are many lists, faulty ones too", () => {
  expect(lists.length).toBeGreaterThan(100);
});

// A faulty list is what a person wants explained.
test.each(["ADD", "CHECK", "DEL", "GC", "STATUS"] as const)("%s of every list can be explained", (verb) => {
  for (const list of lists) {
    const explanation = explain(list, verb, exampleSource(exampleAttachment(list)));
    expect(
      explanation.steps.flatMap(({ answer }) =>
        answer.output?.msg === "internal error of the wrapper" ? [list.file.path] : [],
      ),
    ).toEqual([]);
    expect(explanationText(explanation, screen)).toContain(verb);
    expect(attachmentTable(explanation) ?? "").not.toContain("undefined");
  }
});
