import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { adopt, undo } from "../../../../cli/adopt/adoption.ts";
import type { CachedAttachment } from "../../../../cli/live/cached-results.ts";
import { temporary } from "../../../support/scratch.ts";
import { intercept } from "../../support/file-functions.ts";
import { redirect } from "../../support/redirected.ts";

test("undo leaves what changed while it wrote the old result to the disk", () => {
  const cache = temporary();
  for (const name of ["results", "adopted"]) mkdirSync(join(cache, name));
  const file = join(cache, "results/zone-c1-eth0");
  writeFileSync(file, "after");
  writeFileSync(join(cache, "adopted/zone-c1-eth0"), JSON.stringify({ before: "before", after: "after" }));
  intercept("fsyncSync", () => () => writeFileSync(file, "new"));
  const lines: string[] = [];
  const undone = undo(cache, () => true, { kept: new Map(), note: (line) => lines.push(line) });
  expect({ undone, lines }).toEqual({
    undone: [[file, "failed"]],
    lines: [`${file}: it changed meanwhile; run adopt --undo again`],
  });
  expect(readFileSync(file, "utf8")).toBe("new");
});

test.each([true, false])("undo needs no journal that a DEL removes first (its result, too: %s)", (isResultGone) => {
  const cache = temporary();
  for (const name of ["results", "adopted"]) mkdirSync(join(cache, name));
  redirect("/var/lib/cni/wrappers", join(cache, "wrappers"));
  mkdirSync(join(cache, "wrappers/c1"), { recursive: true });
  const journal = { file: "/var/lib/cni/wrappers/c1/zone:eth0", text: "{}\n" };
  writeFileSync(journal.file, journal.text);
  const file = join(cache, "results/zone-c1-eth0");
  if (!isResultGone) writeFileSync(file, "after");
  const backup = join(cache, "adopted/zone-c1-eth0");
  writeFileSync(backup, JSON.stringify({ before: "before", after: "after", journal }));
  intercept("unlinkSync", (actual) => (path: string) => {
    if (path === journal.file) rmSync(path);
    actual(path);
  });
  const lines: string[] = [];
  const undone = undo(cache, () => true, { kept: new Map(), note: (line) => lines.push(line) });
  expect({ undone, lines }).toEqual({ undone: [[file, isResultGone ? "gone" : "restored"]], lines: [] });
  expect(existsSync(backup)).toBe(false);
});

test("a DEL while the new result is written to the disk wins: the result does not come back", () => {
  const cache = temporary();
  mkdirSync(join(cache, "results"));
  const file = join(cache, "results/zone-c1-eth0");
  writeFileSync(file, '{"result":{}}');
  let syncs = 0;
  intercept("fsyncSync", (actual) => (descriptor: number) => {
    actual(descriptor);
    // The backup takes two: the file and its directory. The third one is for the new result.
    if (++syncs < 3) return;
    // libcni takes each file there for a result.
    expect(readdirSync(join(cache, "results"))).toEqual(["zone-c1-eth0"]);
    rmSync(file);
  });
  const parts = { result: { cniVersion: "1.0.0" }, journal: undefined };
  expect(() => adopt(cache, { file, text: '{"result":{}}' } as CachedAttachment, parts)).toThrow(
    `${file}: it changed meanwhile`,
  );
  expect(syncs).toBe(3);
  expect(existsSync(file)).toBe(false);
  expect(readdirSync(join(cache, "adopted"))).toEqual(["zone-c1-eth0"]);
});
