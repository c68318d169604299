import { PassThrough } from "node:stream";
import { expect, test, vi } from "vitest";
import { confirmed } from "../../../cli/confirm.ts";

async function answeredWith(key: string): Promise<boolean> {
  const input = new PassThrough();
  const output = new PassThrough().resume();
  const answer = confirmed("Go on?", { input, output });
  // The library is loaded when it is used.
  await vi.waitUntil(() => input.listenerCount("data") > 0 || input.listenerCount("keypress") > 0);
  input.write(key);
  return answer;
}

test("only a yes is a yes", async () => {
  expect(await answeredWith("y")).toBe(true);
  expect(await answeredWith("n")).toBe(false);
  expect(await answeredWith("\r")).toBe(false);
  expect(await answeredWith("\u0003")).toBe(false);
  expect(await answeredWith("\u0004")).toBe(false);
});
