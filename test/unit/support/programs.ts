import { writeFileSync } from "node:fs";
import { onTestFinished, vi } from "vitest";

/** Writes a program that the shell runs. */
export function writeProgram(file: string, script: string): void {
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** Until the test ends, a variable of this process has another value. */
export function setVariable(name: string, value: string): void {
  vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}
