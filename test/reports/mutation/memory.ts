import { createHash } from "node:crypto";
import { appendFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { root } from "./bundle.ts";
import type { Mutant } from "./mutants.ts";

/** The result of one mutant. */
export interface Remembered {
  readonly killed: boolean;
  /** The test that noticed it; missing if none did, or if the mutant ended the worker. */
  readonly by?: { readonly test: string; readonly index: number };
  /** Of all files that decided it. If one changes, the mutant runs again. */
  readonly digest: string;
}

/** The results of all runs in the user's cache: an interrupted run goes on where it stopped, and the next one is short. */
export class Memory {
  readonly #file: string;
  readonly #known: Map<string, Remembered>;

  constructor(file = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "cni-wrappers/mutation.jsonl")) {
    this.#file = file;
    this.#known = new Map(linesOf(file).map((line) => JSON.parse(line)));
    mkdirSync(dirname(file), { recursive: true });
    // A run only adds lines: a later line is newer than the others with its key.
    writeFileSync(file, [...this.#known].map(lineOf).join(""));
  }

  /** The last result of a mutant. */
  recall({ key }: Mutant): Remembered | undefined {
    return this.#known.get(key);
  }

  note({ key }: Mutant, result: Remembered): void {
    this.#known.set(key, result);
    appendFileSync(this.#file, lineOf([key, result]));
  }
}

function lineOf(entry: readonly [string, Remembered]): string {
  return `${JSON.stringify(entry)}\n`;
}

function linesOf(file: string): string[] {
  try {
    // A run that was killed may have left half a line.
    return readFileSync(file, "utf8")
      .split("\n")
      .slice(0, -1)
      .filter((line) => line.endsWith("}]"));
  } catch {
    return [];
  }
}

/** Each test depends on these, too. */
const ofEveryTest = [
  "package-lock.json",
  ...["bundle", "instrument", "judge", "pool", "test-api", "worker"].map((name) => `test/reports/mutation/${name}.ts`),
];

/** Directories that hold no sources. */
const left = ["node_modules", ".git", "dist"];

/** The digests of files and directories as they are when they are first asked for. */
export class Digests {
  readonly #known = new Map<string, string>();

  /** One digest of some files, and of what each test depends on. Paths are absolute or relative to the repository's root. */
  of(paths: Iterable<string>): string {
    const all = [...new Set([...ofEveryTest, ...paths])].sort();
    return digest([process.version, ...all.flatMap((path) => [path, this.#ofOne(resolve(root, path))])]);
  }

  #ofOne(path: string): string {
    const known = this.#known.get(path) ?? digest(partsOf(path, (entry) => this.#ofOne(entry)));
    this.#known.set(path, known);
    return known;
  }
}

/** What a digest of a file or directory is made from. */
function partsOf(path: string, ofEntry: (path: string) => string): (string | Buffer)[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFile()) return [readFileSync(path)];
  if (!stat?.isDirectory()) return [stat ? "other" : "missing"];
  const names = readdirSync(path).filter((name) => !left.includes(name));
  return names.sort().flatMap((name) => [name, ofEntry(join(path, name))]);
}

/** A short digest of some texts. */
export function digest(parts: readonly (string | Buffer)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length} `).update(part);
  return hash.digest("base64url").slice(0, 22);
}
