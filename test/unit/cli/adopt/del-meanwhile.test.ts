import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { adopt } from "../../../../cli/adopt/adoption.ts";
import type { CachedAttachment } from "../../../../cli/live/cached-results.ts";

let meanwhile: () => void = () => {};
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  return {
    ...fs,
    fsyncSync: (descriptor: number) => {
      fs.fsyncSync(descriptor);
      meanwhile();
    },
  };
});

test("a DEL while the new result is written to the disk wins: the result does not come back", () => {
  const cache = mkdtempSync(join(tmpdir(), "del-meanwhile-"));
  onTestFinished(() => rmSync(cache, { recursive: true }));
  mkdirSync(join(cache, "results"));
  const file = join(cache, "results/zone-c1-eth0");
  writeFileSync(file, '{"result":{}}');
  let syncs = 0;
  // The backup takes two: the file and its directory. The third one is for the new result.
  meanwhile = () => {
    if (++syncs === 3) rmSync(file);
  };
  const parts = { read: '{"result":{}}', result: { cniVersion: "1.0.0" }, records: [] };
  expect(() => adopt(cache, { file } as CachedAttachment, parts)).toThrow(`${file}: it changed meanwhile`);
  expect(syncs).toBe(3);
  expect(existsSync(file)).toBe(false);
  expect(readdirSync(join(cache, "adopted"))).toEqual(["zone-c1-eth0"]);
});
