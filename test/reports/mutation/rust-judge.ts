import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { executable, links } from "../../../build/publish.ts";
import { argumentsOf, bundles, crate, settings, writeBundles } from "../../../build/slim/cargo.ts";
import { insertImage } from "../../../build/slim/image.ts";
import { cargoProblem, hostTarget, imageProblem } from "../../../build/slim/toolchain.ts";
import { readStamp } from "../../../build/stamp.ts";
import { say } from "../../support/progress.ts";
import { type Bundle, root } from "./bundle.ts";
import { isSurvival, type Way } from "./judge.ts";
import { Digests, type Memory, type Remembered } from "./memory.ts";
import type { Mutant } from "./mutants.ts";
import { commandAlone, WarmWorker } from "./pool.ts";
import type { Verdict } from "./report.ts";
import type { Limited, Order, Outcome } from "./worker.ts";

const directory = join(root, "dist/mutation");
const bin = join(directory, "bin");

/** No test asks for a mutant: it is in the executable. */
const mostAsked = Number.POSITIVE_INFINITY;

/** Says in one line why this host cannot build the slim flavor; undefined if it can. */
export function rustProblem(): string | undefined {
  return cargoProblem() ?? imageProblem(undefined);
}

/** What an executable is made from, besides its tests. */
const sources = ["build", "plugins", "shared"];

/** The verdicts of earlier runs, if nothing changed that decided, and the mutants that must run. */
function recalled(mutants: readonly Mutant[], memory: Memory, digestOf: (by: Remembered["by"]) => string) {
  const known = mutants.flatMap((mutant) => {
    const result = memory.recall(mutant);
    return result?.digest === digestOf(result?.by) ? { mutant, killed: result.killed } : [];
  });
  const isKnown = new Set(known.map(({ mutant }) => mutant));
  return { known, open: mutants.filter((mutant) => !isKnown.has(mutant)) };
}

/**
 * Builds the slim flavor with each mutant, and runs the tests of the executables until one fails. What does not compile is no
 * mutant. One mutant is built while the tests of another run.
 */
export async function judgeRust(
  mutants: readonly Mutant[],
  tests: readonly Bundle[],
  { endsAt, memory, progress }: Pick<Way, "endsAt" | "memory" | "progress">,
): Promise<Verdict[]> {
  const digests = new Digests();
  const digestOf = (by: Remembered["by"]) =>
    digests.of([...sources, ...tests.flatMap(({ test, files }) => (by && by.test !== test ? [] : files))]);
  const { known, open } = recalled(mutants, memory, digestOf);
  if (open.length === 0) return known;
  const builder = await Builder.start();
  const worker = new WarmWorker(tests, { CNI_WRAPPERS_FLAVOR: "slim", CNI_WRAPPERS_BIN: bin });
  const verdicts: Verdict[] = [...known];
  const usualMs = new Map<string, number>();
  try {
    if ((await builder.build()) !== "built") throw new Error("without a mutant, the slim flavor cannot be built");
    builder.publish();
    for (const { test } of tests) {
      const started = performance.now();
      const ended = await worker.run({ mutant: undefined, tests: [{ test, mostAsked }], limitMs: 600_000 });
      const why = typeof ended === "string" ? ended : ended.failed?.why;
      if (why !== undefined) throw new Error(`without a mutant, ${test} fails with the slim flavor: ${why}`);
      usualMs.set(test, performance.now() - started);
    }
    const killers = new Killers(usualMs);
    let built = builder.build(open[0]);
    for (const [index, mutant] of open.entries()) {
      const outcome = await built;
      if (outcome === "built") builder.publish();
      built = builder.build(open[index + 1]);
      if (outcome !== "not compiled") {
        const result = outcome === "without image" ? { killed: true } : await resultOf(mutant, worker, killers);
        memory.note(mutant, { ...result, digest: digestOf(result.by) });
        verdicts.push({ mutant, killed: result.killed });
      }
      progress(known.length + index + 1, verdicts.filter(({ killed }) => !killed).length);
      if (performance.now() > endsAt) break;
    }
    await built;
    return verdicts;
  } finally {
    await worker.stop();
  }
}

async function resultOf(
  mutant: Mutant,
  worker: WarmWorker,
  killers: Killers,
): Promise<Pick<Remembered, "killed" | "by">> {
  for (const order of killers.inTurn()) {
    const ended = await worker.run({ mutant: mutant.id, ...order });
    if (isSurvival(ended)) continue;
    const failed: Outcome["failed"] = typeof ended === "string" ? undefined : ended.failed;
    if (failed) killers.note(failed);
    return { killed: true, ...(failed && { by: { test: failed.test, index: failed.index } }) };
  }
  return { killed: false };
}

/** The tests in the order in which they have killed: nobody knows which of them reach a line of Rust. */
class Killers {
  readonly #usualMs: ReadonlyMap<string, number>;
  readonly #files: string[];
  #cases: { readonly test: string; readonly index: number }[] = [];

  /** Each file takes so long without a mutant. */
  constructor(usualMs: ReadonlyMap<string, number>) {
    this.#usualMs = usualMs;
    this.#files = [...usualMs.keys()];
  }

  /** Single tests that killed one of the last mutants, and then each file. */
  inTurn(): Omit<Order, "mutant">[] {
    const single = this.#cases.map(({ test, index }) => ({ test, cases: [index], mostAsked }));
    const files = this.#files.map((test) => [{ test, mostAsked }]);
    return [single, ...files]
      .filter(({ length }) => length > 0)
      .map((tests) => ({ tests, limitMs: this.#limit(tests) }));
  }

  #limit(tests: readonly Limited[]): number {
    return 10_000 + 5 * Math.max(...tests.map(({ test }) => this.#usualMs.get(test) ?? 0));
  }

  note({ test, index }: { readonly test: string; readonly index: number }): void {
    this.#files.unshift(...this.#files.splice(this.#files.indexOf(test), 1));
    const others = this.#cases.filter((one) => one.test !== test || one.index !== index);
    this.#cases = index < 0 ? others : [{ test, index }, ...others].slice(0, 6);
  }
}

/** Builds the slim flavor in a copy of its sources, without the optimizations of the whole program. */
class Builder {
  readonly #copy = join(directory, "slim");
  readonly #made = join(directory, executable);
  readonly #command: readonly string[];
  /** The file with a mutant, as it was. */
  readonly #changed = new Map<string, string>();

  private constructor(command: readonly string[]) {
    this.#command = command;
  }

  static async start(): Promise<Builder> {
    await writeBundles(readStamp(root));
    mkdirSync(directory, { recursive: true });
    rmSync(bin, { recursive: true, force: true });
    mkdirSync(bin);
    for (const link of links) symlinkSync(executable, join(bin, link));
    const builder = new Builder(["build", ...argumentsOf(hostTarget(), true, directory)]);
    for (const name of ["Cargo.toml", "Cargo.lock", "build.rs", "order.ld", "panic.json", "src"])
      cpSync(join(crate, name), join(builder.#copy, name), { recursive: true });
    return builder;
  }

  /** Builds with a mutant of the sources as they were at the start. */
  async build(mutant?: Mutant): Promise<"built" | "not compiled" | "without image"> {
    for (const [file, source] of this.#changed) writeFileSync(this.#copied(file), source);
    this.#changed.clear();
    if (mutant) {
      const source = readFileSync(this.#copied(mutant.file), "utf8");
      this.#changed.set(mutant.file, source);
      writeFileSync(this.#copied(mutant.file), withMutant(mutant, source));
    }
    const cargo = spawn("cargo", this.#command, { cwd: this.#copy, stdio: "ignore", env: this.#variables() });
    if ((await exitCodeOf(cargo)) !== 0) return "not compiled";
    copyFileSync(join(directory, "target", hostTarget(), "release", executable), this.#made);
    try {
      insertImage(this.#made, commandAlone("timeout", "--signal=KILL", "10", this.#made));
      return "built";
    } catch (error) {
      if (mutant === undefined) say(String(error));
      return "without image";
    }
  }

  publish(): void {
    renameSync(this.#made, join(bin, executable));
  }

  #copied(file: string): string {
    return join(this.#copy, relative("build/slim", file));
  }

  #variables(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      ...settings(directory),
      ...{ CNI_WRAPPERS_BUNDLES: bundles, CARGO_TARGET_DIR: join(directory, "target") },
      ...{ CARGO_PROFILE_RELEASE_LTO: "off", CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "16" },
      ...{ CARGO_PROFILE_RELEASE_OPT_LEVEL: "1", CARGO_PROFILE_RELEASE_INCREMENTAL: "true" },
    };
  }
}

function withMutant({ switch: { start, end, text } }: Mutant, source: string): string {
  return source.slice(0, start) + text + source.slice(end);
}

async function exitCodeOf(program: ChildProcess): Promise<number | null> {
  const [code] = await once(program, "exit");
  return code;
}
