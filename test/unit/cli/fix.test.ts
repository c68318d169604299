import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fixFiles } from "../../../cli/lint/fix.ts";
import { lintFiles } from "../../../cli/lint/lint.ts";
import { readListFile } from "../../../cli/lists/find-files.ts";
import { parseListFile } from "../../../cli/lists/list-file.ts";

const root = join(import.meta.dirname, "../../..");
const fixtures = globSync("test/fixtures/lint/*/err-*.*", { cwd: root }).map((path) => readListFile(path, root));
const fixable = fixtures.filter((file) => lintFiles([file]).some(({ fix }) => fix !== undefined));

test.each(fixable.map((file) => [file.path, file] as const))("%s: one round of edits is enough", (_, file) => {
  const before = lintFiles([file]);
  const { files, fixed } = fixFiles([file]);
  const after = lintFiles(files);
  expect(after.filter(({ fix }) => fix !== undefined)).toEqual([]);
  // An edit must not make another mistake.
  expect(after.length).toBe(before.length - fixed.length);
});

test("of two equal keys, the one that counts is fixed", () => {
  const list = (first: string, last: string) =>
    `{ "cniVersion": "1.0.0", "name": "zone", "plugins": [{ "type": "bridge", "ipam": { "type": "dhcp" }, "mtu": ${first}, "mtu": ${last} }] }`;
  const { files, fixed } = fixFiles([parseListFile("x.conflist", list('"1500"', '"1400"'))]);
  expect([files[0]?.text, fixed.length]).toEqual([list('"1500"', "1400"), 1]);
});
