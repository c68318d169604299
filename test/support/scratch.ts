import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";

/** A directory for the tests of a file or a group. Each test finds it empty, and it is removed after the test. */
export function scratch(): string {
  const directory = join(tmpdir(), `test-${randomUUID()}`);
  beforeEach(() => void mkdirSync(directory));
  afterEach(() => rmSync(directory, { recursive: true }));
  return directory;
}
