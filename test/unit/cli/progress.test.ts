import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { progressOf } from "../../../cli/progress.ts";

/** Runs a work of ten parts, each of so many milliseconds, on a terminal. Returns what the terminal got. */
function shownBy(milliseconds: number): string {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  let time = 0;
  const progress = progressOf(10, { progress: stream as unknown as NodeJS.WriteStream }, () => time);
  for (let done = 1; done <= 10; done++) {
    time += milliseconds;
    progress.report(done);
  }
  progress.end();
  return String(stream.read() ?? "");
}

test("a bar is shown as soon as the work takes longer than a second", () => {
  expect(shownBy(300)).toContain("4 of 10 files");
  expect(shownBy(300)).not.toContain("3 of 10 files");
});

test("quick work shows nothing", () => {
  expect(shownBy(100)).toBe("");
});

test("without a terminal there is no bar", () => {
  const progress = progressOf(1, {}, () => 10_000);
  progress.report(0);
  expect(() => progress.end()).not.toThrow();
});
