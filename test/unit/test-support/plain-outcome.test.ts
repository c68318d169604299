import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { plainOutcome, plainOutcomes } from "../../support/plain-outcome.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "cni-wrappers-plain-"));
  vi.stubEnv(plainOutcomes, path.join(directory, "plain"));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});

const run = vi.fn(async () => ({ exitCode: 0, left: ["eth0"] }));

afterEach(() => run.mockClear());

test("runs once, and returns the kept outcome after that", async () => {
  expect(await plainOutcome({ plugins: "1.9.1" }, run)).toEqual({ exitCode: 0, left: ["eth0"] });
  expect(await plainOutcome({ plugins: "1.9.1" }, run)).toEqual({ exitCode: 0, left: ["eth0"] });
  expect(run).toHaveBeenCalledTimes(1);
});

test("runs again if anything is different, the source of a function included", async () => {
  const before = (name: string) => ({ one: () => `link add ${name}`, other: () => `link set ${name}` });
  for (const given of [{ plugins: "1.9.1" }, { plugins: "1.6.2" }, ...Object.values(before("eth0"))]) {
    await plainOutcome({ given }, run);
  }
  expect(run).toHaveBeenCalledTimes(4);
});

test("runs every time without the variable", async () => {
  vi.stubEnv(plainOutcomes, "");
  await plainOutcome({}, run);
  await plainOutcome({}, run);
  expect(run).toHaveBeenCalledTimes(2);
});

test("keeps nothing of a run that fails", async () => {
  run.mockRejectedValueOnce(new Error("no lab"));
  await expect(plainOutcome({}, run)).rejects.toThrow("no lab");
  expect(await plainOutcome({}, run)).toEqual({ exitCode: 0, left: ["eth0"] });
});

test("refuses a wrapper, and an outcome that JSON changes", async () => {
  await expect(plainOutcome({ plugin: "bridge-wrapper" }, run)).rejects.toThrow("not plain");
  await expect(plainOutcome({}, async () => ({ exitCode: undefined }))).rejects.toThrow("JSON changes");
});
