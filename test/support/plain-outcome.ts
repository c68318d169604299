import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { isDeepStrictEqual } from "node:util";

/** The variable with the directory of one run of `npm test`, in which plain outcomes are kept. */
export const plainOutcomes = "CNI_WRAPPERS_PLAIN_OUTCOMES";

/**
 * Returns what the plain plugins do. Both flavors are compared with it, so one run of `npm test` runs the plain plugins
 * once and keeps the outcome. Without the variable they always run. `given` must contain everything on which the
 * outcome depends; a function counts with its source.
 */
export async function plainOutcome<T>(given: object, run: () => Promise<T>): Promise<T> {
  const directory = process.env[plainOutcomes];
  const key = JSON.stringify(given, (_, value) => (typeof value === "function" ? String(value) : value));
  if (key.includes("-wrapper")) throw new Error(`not plain: ${key}`);
  if (!directory) return await run();
  const file = path.join(directory, `${createHash("sha256").update(key).digest("hex")}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8"));
  const outcome = await run();
  await keep(file, outcome);
  return outcome;
}

async function keep(file: string, outcome: unknown): Promise<void> {
  const text = JSON.stringify(outcome);
  if (!isDeepStrictEqual(JSON.parse(text), outcome)) throw new Error("an outcome that JSON changes");
  await mkdir(path.dirname(file), { recursive: true });
  // Another worker may read the file at the same time.
  const temporary = `${file}.${process.pid}.${performance.now()}`;
  await writeFile(temporary, text);
  await rename(temporary, file);
}
