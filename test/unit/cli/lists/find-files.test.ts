import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isMisspelt, readListFile, readListFiles } from "../../../../cli/lists/find-files.ts";
import { scratch } from "../../../support/scratch.ts";

const directory = scratch();

test.each([
  ["zone.conflits", true],
  ["zone.conlst", true],
  ["zone.CONFLIST", true],
  ["zone.conflist", false],
  ["zone.config", false],
  ["zone.conflits.gz", false],
  ["zone", false],
])("%s is misspelled: %s", (name, misspelled) => {
  expect(isMisspelt(name)).toBe(misspelled);
});

test("a directory stands for its lists in the runtime's order, and each file is read once, as stdin is", () => {
  for (const name of ["z.conf", "b.conflist", "A.json", "c.conflits", "d.txt"])
    writeFileSync(join(directory, name), "{}");
  const terminal = { directory, readInput: () => '{ "name": "stdin" }' };
  const files = readListFiles(["-", "b.conflist", ".", "./b.conflist", "-"], terminal);
  expect(files.map(({ path }) => path)).toEqual(["stdin", "b.conflist", "A.json", "c.conflits", "z.conf"]);
  expect(files[0]?.text).toBe('{ "name": "stdin" }');
  expect(() => readListFiles([""], terminal)).toThrow("the path is empty; name a file");
});

test("what cannot be read is left out, and a fault of the program is not", () => {
  writeFileSync(join(directory, "good.conf"), "{}");
  writeFileSync(join(directory, "deep.conf"), "[".repeat(200_000));
  const left: string[] = [];
  const leaveOut = ({ message }: Error) => left.push(message);
  const terminal = { directory, readInput: () => "" };
  expect(readListFiles(["."], terminal, leaveOut).map(({ path }) => path)).toEqual(["good.conf"]);
  expect(left).toEqual(["deep.conf: its values are nested too deeply"]);
  expect(() => readListFiles(["deep.conf"], terminal)).toThrow(left[0]);
  const readInput = () => {
    throw new TypeError("a fault");
  };
  expect(() => readListFiles(["-"], { directory, readInput }, leaveOut)).toThrow("a fault");
});

test("a list has at most 256 plugins", () => {
  const write = (count: number) =>
    writeFileSync(join(directory, "zone.conf"), JSON.stringify({ plugins: Array(count).fill(1) }));
  write(256);
  expect(readListFile("zone.conf", directory).errors).toEqual([]);
  write(257);
  expect(() => readListFile("zone.conf", directory)).toThrow("zone.conf: it has 257 plugins; a list has at most 256");
});
