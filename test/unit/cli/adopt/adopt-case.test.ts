import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { adoptCase, keptResults, undo } from "../../../../cli/adopt/adoption.ts";
import type { Case } from "../../../../cli/adopt/proposal.ts";
import { type CachedAttachment, isAttachment, parseCachedResult } from "../../../../cli/live/cached-results.ts";
import type { Verdict } from "../../../../cli/live/check.ts";
import { workloadOf } from "../../../../cli/live/workload.ts";
import { scratch } from "../../../support/scratch.ts";
import { writeFile } from "../../support/written.ts";

const cache = scratch();
const asked = { kept: new Map(), note: () => undefined };
const passes = async (): Promise<Verdict> => ({ is: "passes" });
const file = join(cache, "results/zone-c1-eth0");
const backup = join(cache, "adopted/zone-c1-eth0");
const text = '{"kind":"cniCacheV1","containerId":"c1","ifName":"eth0","networkName":"zone","result":{}}';

function adoptable(): Case {
  writeFile(file, text);
  const attachment = parseCachedResult(file, text);
  if (!isAttachment(attachment)) throw new Error("the fixture is no attachment");
  return {
    attachment,
    workload: workloadOf(attachment),
    proposal: { is: "adoptable", result: { cniVersion: "1.0.0" }, journal: undefined },
  };
}

test("a case that cannot be written says so, and nothing is thrown: the next case has its turn", async () => {
  const one = adoptable();
  writeFileSync(file, "new");
  const after = await adoptCase(cache, one, passes);
  const error = `${file}: it changed meanwhile; run adopt again`;
  expect(after).toEqual({ ...one, proposal: { is: "unwritten", error } });
  expect(readFileSync(file, "utf8")).toBe("new");
});

test("an adoption that is taken back leaves the backup of the earlier one", async () => {
  const one = adoptable();
  await adoptCase(cache, one, passes);
  const first = readFileSync(file, "utf8");
  const kept = readFileSync(backup, "utf8");
  const proposal = { is: "adoptable", result: {}, journal: undefined } as const;
  const again: Case = { ...one, attachment: { ...one.attachment, text: first }, proposal };
  await adoptCase(cache, again, async () => ({ is: "fails", error: "wrong" }));
  expect(readFileSync(file, "utf8")).toBe(first);
  expect(readFileSync(backup, "utf8")).toBe(kept);
  expect(undo(cache, () => true, asked)).toEqual([[file, "restored"]]);
  expect(readFileSync(file, "utf8")).toBe(text);
});

const fails: Verdict = { is: "fails", error: "no" };

test.each<[string, Verdict, Verdict, boolean, Map<string, string>, string[]]>([
  ["needs the new result", { is: "passes" }, fails, true, new Map([[file, "needed"]]), []],
  ["passes with both", { is: "passes" }, { is: "passes" }, true, new Map(), []],
  ["fails with both", fails, fails, true, new Map(), []],
  ["cannot be asked", fails, fails, false, new Map([[file, "unasked"]]), [`${file}: no`]],
  ["asks nobody", { is: "unchecked", why: "x" }, fails, false, new Map(), []],
])("undo asks whether the list in place %s", async (_, now, then, canAsk, kept, lines) => {
  const one = adoptable();
  await adoptCase(cache, one, passes);
  const check = async ({ result }: CachedAttachment) => (result?.cniVersion === "1.0.0" ? now : then);
  const noted: string[] = [];
  const evidence = { check, canAsk: () => canAsk, note: (line: string) => noted.push(line) };
  expect(await keptResults(cache, () => true, evidence)).toEqual(kept);
  expect(noted).toEqual(lines);
});

test.each([
  ["a result that is gone", undefined, text, true],
  ["a result that is not readable now", "{", text, true],
  ["a result that was not readable before", text, "{", true],
  ["a backup that cannot be read", text, undefined, true],
  ["a result that the operator did not name", text, text, false],
])("undo runs no CHECK for %s", async (_, now, before, isWanted) => {
  if (now !== undefined) writeFile(file, now);
  writeFile(backup, { before, after: "after" });
  const check = () => Promise.reject(new Error("CHECK ran"));
  const evidence = { check, canAsk: () => false, note: () => {} };
  expect(await keptResults(cache, () => isWanted, evidence)).toEqual(new Map());
});

test("undo runs as many CHECKs at a time as the machine has processors", async () => {
  for (let count = 0; count < 3 * availableParallelism(); count++) {
    const of = text.replace("c1", `c${count}`);
    writeFile(join(cache, `results/zone-c${count}-eth0`), of);
    writeFile(join(cache, `adopted/zone-c${count}-eth0`), { before: of, after: of });
  }
  let running = 0;
  let most = 0;
  const check = async (): Promise<Verdict> => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running--;
    return { is: "passes" };
  };
  await keptResults(cache, () => true, { check, canAsk: () => true, note: () => {} });
  expect(most).toBe(availableParallelism());
});

test.each<[string, Verdict, string]>([
  ["fails", { is: "fails", error: "wrong" }, "wrong"],
  ["finds no namespace", { is: "gone" }, "its namespace is gone"],
  ["does not run", { is: "unchecked", why: "x" }, "CHECK did not run"],
])("a result whose second CHECK %s is taken back, with its backup, and the case is lost", async (_, verdict, error) => {
  const one = adoptable();
  const checked: CachedAttachment[] = [];
  const after = await adoptCase(cache, one, async (attachment) => {
    checked.push(attachment);
    return verdict;
  });
  expect(checked).toEqual([{ ...one.attachment, result: { cniVersion: "1.0.0" } }]);
  expect(after).toEqual({ ...one, proposal: { is: "lost", error } });
  expect(readFileSync(file, "utf8")).toBe(text);
  expect(undo(cache, () => true, asked)).toEqual([]);
});

test("a fault of the command itself is none of the case", async () => {
  const check = () => Promise.reject(new TypeError("x is not a function"));
  await expect(adoptCase(cache, adoptable(), check)).rejects.toThrow("x is not a function");
});
