import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { undo } from "../../../../cli/adopt/adoption.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "adoption-"));
  mkdirSync(join(directory, "cache/results"), { recursive: true });
  mkdirSync(join(directory, "cache/adopted"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const at = (name: string) => join(directory, name);
const undoAll = () => undo(at("cache"), () => true);

function backUp(backup: object): void {
  writeFileSync(at("cache/adopted/zone-c1-eth0"), JSON.stringify(backup));
}

test("undo restores the file of the backup's name", () => {
  writeFileSync(at("cache/results/zone-c1-eth0"), "after");
  backUp({ before: "before", after: "after", records: [] });
  expect(undoAll()).toEqual([[at("cache/results/zone-c1-eth0"), "restored"]]);
  expect(readFileSync(at("cache/results/zone-c1-eth0"), "utf8")).toBe("before");
  expect(existsSync(at("cache/adopted/zone-c1-eth0"))).toBe(false);
});

test("undo overwrites no file that a backup names elsewhere", () => {
  writeFileSync(at("passwd"), "after");
  backUp({ file: at("passwd"), before: "before", after: "after", records: [] });
  undoAll();
  expect(readFileSync(at("passwd"), "utf8")).toBe("after");
});

test.each(["victim", "cache/results/zone-c1-eth1"])("undo removes only records, not %s", (victim) => {
  writeFileSync(at(victim), "");
  backUp({ file: at("none"), before: "before", after: "after", records: [at(victim)] });
  expect(undoAll()).toEqual([]);
  expect(existsSync(at(victim))).toBe(true);
});

test("undo ignores a backup without a list of records", () => {
  backUp({ file: at("none"), before: "before", after: "after" });
  expect(undoAll()).toEqual([]);
});
