import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, onTestFinished } from "vitest";

/** A directory for the tests of a file or a group. Each test finds it empty, and it is removed after the test. */
export function scratch(): string {
  const directory = join(tmpdir(), `test-${randomUUID()}`);
  beforeEach(() => void mkdirSync(directory));
  afterEach(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** An empty directory that is removed when the test ends. */
export function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), "test-"));
  // Go may still write to the folder of its telemetry when the command has ended.
  onTestFinished(() => rmSync(directory, { recursive: true, maxRetries: 20, retryDelay: 100 }));
  return directory;
}
