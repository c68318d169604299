import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { adoptCase } from "../../../../cli/adopt/adopt-case.ts";
import type { Case } from "../../../../cli/adopt/report.ts";
import { isAttachment, parseCachedResult } from "../../../../cli/live/cached-results.ts";
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
    text,
    proposal: { is: "adoptable", result: { cniVersion: "1.0.0" }, records: [] },
  };
}

test("a result whose CHECK passes is written", async () => {
  const one = adoptable();
  expect(await adoptCase(cache, one, async () => ({ is: "passes" }))).toBe(one);
  expect(JSON.parse(readFileSync(one.attachment.file, "utf8"))).toMatchObject({ result: { cniVersion: "1.0.0" } });
});

test("a result whose second CHECK fails is taken back, and the case counts as lost", async () => {
  const one = adoptable();
  const after = await adoptCase(cache, one, async () => ({ is: "fails", error: "wrong" }));
  expect(after.proposal).toEqual({ is: "lost", error: "wrong" });
  expect(readFileSync(one.attachment.file, "utf8")).toBe(text);
});
