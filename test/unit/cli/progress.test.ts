import { PassThrough } from "node:stream";
import { expect, test, vi } from "vitest";
import { progressOf } from "../../../cli/live/at-once.ts";

/** Runs a work of ten parts, each of so many milliseconds, on a terminal. Returns what the terminal got. */
function shownBy(milliseconds: number): string {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  let time = 5000;
  const progress = progressOf(10, { progress: stream as unknown as NodeJS.WriteStream }, undefined, () => time);
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
  // Each step starts no bar of its own, and the end clears the line and shows the cursor again.
  expect(shownBy(300).split("\u001B[?25l")).toHaveLength(2);
  for (const sequence of ["\u001B[0K", "\u001B[?25h"]) expect(shownBy(300)).toContain(sequence);
});

test("quick work shows nothing", () => {
  expect(shownBy(100)).toBe("");
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  let time = 0;
  const progress = progressOf(1, { progress: stream as unknown as NodeJS.WriteStream }, undefined, () => time);
  time = 2000;
  progress.report(1);
  expect(stream.read()).toBeNull();
});

test("without a terminal there is no bar, even if stderr is one", () => {
  const { isTTY } = process.stderr;
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    Object.defineProperty(process.stderr, "isTTY", { value: true, configurable: true });
    let time = 0;
    const progress = progressOf(10, {}, undefined, () => time);
    time = 10_000;
    progress.report(1);
    progress.end();
    expect(write).not.toHaveBeenCalled();
  } finally {
    Object.defineProperty(process.stderr, "isTTY", { value: isTTY, configurable: true });
    write.mockRestore();
  }
});
