import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { adoptCase, neededResults, undo } from "../../../../cli/adopt/adoption.ts";
import type { Case } from "../../../../cli/adopt/proposal.ts";
import { type CachedAttachment, isAttachment, parseCachedResult } from "../../../../cli/live/cached-results.ts";
import type { Verdict } from "../../../../cli/live/check.ts";
import { workloadOf } from "../../../../cli/live/workload.ts";

let cache = "";
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "adopt-case-"));
  mkdirSync(join(cache, "results"));
});
afterEach(() => rmSync(cache, { recursive: true }));

const text = '{"kind":"cniCacheV1","containerId":"c1","ifName":"eth0","networkName":"zone","result":{}}';

function adoptable(): Case {
  const file = join(cache, "results/zone-c1-eth0");
  writeFileSync(file, text);
  const attachment = parseCachedResult(file, text);
  if (!isAttachment(attachment)) throw new Error("the fixture is no attachment");
  return {
    attachment,
    workload: workloadOf(attachment),
    proposal: { is: "adoptable", result: { cniVersion: "1.0.0" }, journal: undefined },
  };
}

test("a result whose CHECK passes is written", async () => {
  const one = adoptable();
  expect(await adoptCase(cache, one, async () => ({ is: "passes" }))).toBe(one);
  expect(JSON.parse(readFileSync(one.attachment.file, "utf8"))).toMatchObject({ result: { cniVersion: "1.0.0" } });
});

test("a result whose CHECK passes already stays as it is", async () => {
  const one: Case = { ...adoptable(), proposal: { is: "fine" } };
  expect(await adoptCase(cache, one, async () => ({ is: "fails", error: "no" }))).toBe(one);
  expect(readFileSync(one.attachment.file, "utf8")).toBe(text);
});

test("a case that cannot be written is lost, and nothing is thrown: the next case has its turn", async () => {
  const one = adoptable();
  writeFileSync(one.attachment.file, "new");
  const after = await adoptCase(cache, one, async () => ({ is: "passes" }));
  const error = `${one.attachment.file}: it changed meanwhile; run adopt again`;
  expect(after).toEqual({ ...one, proposal: { is: "lost", error } });
  expect(readFileSync(one.attachment.file, "utf8")).toBe("new");
});

test("an adoption that is taken back leaves the backup of the earlier one", async () => {
  const one = adoptable();
  await adoptCase(cache, one, async () => ({ is: "passes" }));
  const first = readFileSync(one.attachment.file, "utf8");
  const again: Case = {
    ...one,
    attachment: { ...one.attachment, text: first },
    proposal: { is: "adoptable", result: {}, journal: undefined },
  };
  await adoptCase(cache, again, async () => ({ is: "fails", error: "wrong" }));
  expect(readFileSync(one.attachment.file, "utf8")).toBe(first);
  expect(undo(cache, () => true)).toEqual([[one.attachment.file, "restored"]]);
  expect(readFileSync(one.attachment.file, "utf8")).toBe(text);
});

test.each<[string, Verdict, Verdict, number]>([
  ["needs the new result", { is: "passes" }, { is: "fails", error: "no" }, 1],
  ["passes with both", { is: "passes" }, { is: "passes" }, 0],
  ["fails with both", { is: "fails", error: "no" }, { is: "fails", error: "no" }, 0],
])("undo asks whether the list in place %s", async (_, now, then, count) => {
  const one = adoptable();
  await adoptCase(cache, one, async () => ({ is: "passes" }));
  const check = async ({ result }: CachedAttachment) => (result?.cniVersion === "1.0.0" ? now : then);
  expect((await neededResults(cache, check)).size).toBe(count);
});

test("a result whose second CHECK fails is taken back, and the case counts as lost", async () => {
  const one = adoptable();
  const after = await adoptCase(cache, one, async () => ({ is: "fails", error: "wrong" }));
  expect(after.proposal).toEqual({ is: "lost", error: "wrong" });
  expect(readFileSync(one.attachment.file, "utf8")).toBe(text);
});
