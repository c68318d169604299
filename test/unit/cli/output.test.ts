import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { watchOutput } from "../../../cli/terminal.ts";

function failuresAfter(code: string): string[] {
  const stream = new EventEmitter();
  const failures: string[] = [];
  watchOutput(stream, "stdout", (message) => failures.push(message));
  stream.emit("error", Object.assign(new Error("write"), { code }));
  return failures;
}

test("a reader that has read enough, such as head, is no failure", () => {
  expect(failuresAfter("EPIPE")).toEqual([]);
});

test("output that is lost is a failure, and its message has no stack", () => {
  expect(failuresAfter("ENOSPC")).toEqual(["stdout: no space left on the device"]);
  expect(failuresAfter("EXXX")).toEqual(["stdout: EXXX"]);
});
