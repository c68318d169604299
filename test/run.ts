// `npm test`: lint, types, builds and all tests, side by side. The last line is the verdict.
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { execa } from "execa";
import { cargoProblem } from "../build/slim/toolchain.ts";
import { commandTests, hostTests } from "./support/flavors.ts";
import type { Progress } from "./support/progress-reporter.ts";
import { sideBySide } from "./support/side-by-side.ts";
import { type Count, casesOf, countTests, readReport } from "./support/test-report.ts";

/**
 * A step does not run if a step that it `needs` failed. It takes one lane, or its number of `workers`. Only a missing tool
 * skips a step: one with `slim` if cargo cannot build, another one if its command `lacks` prints what is missing. Where CI
 * is set everything but an `optional` step must run.
 */
interface Step {
  readonly name: string;
  readonly command: readonly string[];
  readonly isVitest?: true;
  readonly workers?: number;
  readonly needs?: readonly string[];
  readonly slim?: true;
  readonly lacks?: readonly string[];
  readonly optional?: true;
}

/** How a step ended: its tests, or why it did not run. */
interface Ended extends Count {
  readonly notRun?: string;
}

const root = join(import.meta.dirname, "..");
const bin = join(root, "node_modules/.bin");
const scratch = mkdtempSync(join(tmpdir(), "cni-wrappers-test-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort(signal));

// This reporter fails a run that lost a case.
const caseReporters = ["./test/support/case-reporter.ts"];

const noCargo = cargoProblem();

// The longest come first.
const steps: readonly Step[] = [
  { name: "build-slim", command: ["node", "build/slim/build.ts"], slim: true },
  { name: "build", command: ["node", "build/build.ts"] },
  { name: "plugins", command: ["node", "test/support/go.ts"] },
  // The commands are the Node flavor's, with either flavor of the wrappers.
  { name: "e2e-slim", ...vitest("e2e-slim", 2, caseReporters), needs: ["build", "build-slim", "plugins"], slim: true },
  // With slim, the Node flavor runs only the tests of what it has of its own.
  {
    name: "e2e",
    ...(noCargo === undefined
      ? vitest("e2e", 1, caseReporters, [...commandTests, ...hostTests])
      : vitest("e2e", 2, caseReporters)),
    needs: ["build", "plugins"],
  },
  // The end-to-end tests that this machine's kernel cannot run.
  {
    name: "kernel",
    command: ["node", "test/kernel/run.ts", "--report", reportFile("kernel")],
    isVitest: true,
    needs: ["build", "build-slim", "plugins"],
    lacks: ["node", "test/kernel/run.ts", "lacks"],
  },
  { name: "executable", ...vitest("executable", 1), needs: ["build"] },
  { name: "unit", ...vitest("unit", 1) },
  // Faults in the guards among the changed lines. `npm run test:mutation` has all faults.
  {
    name: "mutation",
    command: ["node", "test/reports/mutation/mutation.ts", "--changed", "--guards", "--seconds", "60"],
  },
  { name: "executable-slim", ...vitest("executable-slim", 1), needs: ["build-slim"], slim: true },
  {
    name: "differential",
    command: ["node", "test/reports/differential/differential.ts"],
    needs: ["build", "build-slim"],
    slim: true,
  },
  // The rest of this suite takes minutes, and so does the build of Nomad: `npm run test:nomad`.
  {
    name: "nomad",
    ...vitest("nomad", 1, caseReporters, ["test/nomad/short.test.ts"]),
    needs: ["build", "plugins"],
    lacks: ["node", "test/support/nomad.ts", "lacks-nomad"],
    optional: true,
  },
  { name: "types", command: ["tsc"] },
  { name: "core types", command: ["tsc", "--project", "tsconfig.core.json"] },
  { name: "page types", command: ["tsc", "--project", "tsconfig.page.json"] },
  { name: "lint", command: ["biome", "check", "--error-on-warnings"] },
];

function vitest(project: string, workers: number, reporters: readonly string[] = [], files: readonly string[] = []) {
  const chosen = ["default", "json", "./test/support/progress-reporter.ts", ...reporters];
  const options = [
    ...["--project", project, `--maxWorkers=${workers}`],
    ...chosen.map((reporter) => `--reporter=${reporter}`),
    `--outputFile.json=${reportFile(project)}`,
  ];
  return { command: ["vitest", "run", ...options, ...files], isVitest: true, workers } as const;
}

function reportFile(project: string): string {
  return join(scratch, `${project}.json`);
}

/** Where the running steps are, for a person who waits. */
const running = new Map<string, Progress | undefined>();

async function runAll(): Promise<{ passed: number; failed: number; skipped: number }> {
  // Tests wait for plugins now and then, so two lanes more than there are processors.
  const lanes = availableParallelism() + 2;
  const work = steps.map((step) => ({
    name: step.name,
    needs: step.needs ?? [],
    lanes: step.workers ?? 1,
    run: (done: ReadonlyMap<string, Ended>) => timed(step, () => runStep(step, done)),
  }));
  const redraw = process.stdout.isTTY ? setInterval(showProgress, 500) : undefined;
  const all = [...(await sideBySide(work, lanes)).values()];
  clearInterval(redraw);
  const inSecondKernel = new Set(
    casesOf(readReport(reportFile("kernel"))).flatMap(({ status, fullName }) => (status === "passed" ? fullName : [])),
  );
  const left = all.flatMap((ended) => ended.left).filter((name) => !inSecondKernel.has(name));
  const isExpected = !process.env.CI;
  for (const name of left) console.log(`${isExpected ? "skipped" : "FAILED, not run"}: ${name}`);
  const sum = (count: (ended: Ended) => number) => all.reduce((total, ended) => total + count(ended), 0);
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed) + (isExpected ? 0 : left.length),
    skipped: (isExpected ? left.length : 0) + all.filter(isSkipped).length,
  };
}

async function timed({ name }: Step, run: () => Promise<Ended & { readonly output?: string }>): Promise<Ended> {
  const started = performance.now();
  running.set(name, undefined);
  const { output, ...ended } = await run();
  running.delete(name);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const verdict = ended.failed > 0 ? "FAILED" : isSkipped(ended) ? "skipped" : "ok";
  const counted = ended.notRun ?? `${describe({ ...ended, skipped: ended.left.length })}; ${seconds} s`;
  clearLine();
  console.log(`${name.padEnd(15)} ${verdict} (${counted})`);
  if (ended.failed > 0 && output !== undefined) console.log(`${output.trimEnd()}\n`);
  return ended;
}

function isSkipped({ failed, notRun }: Ended): boolean {
  return failed === 0 && notRun !== undefined;
}

async function runStep(step: Step, done: ReadonlyMap<string, Ended>) {
  // The tests of an older build would say nothing about this tree.
  const broken = step.needs?.find((name) => (done.get(name)?.failed ?? 0) > 0);
  if (broken !== undefined) return { passed: 0, failed: 1, left: [], notRun: `${broken} failed` };
  const lacking = step.slim ? noCargo : await lackOf(step);
  if (lacking) return { passed: 0, failed: process.env.CI && !step.optional ? 1 : 0, left: [], notRun: lacking };
  const { succeeded, output } = await execute(step.command, (progress) => running.set(step.name, progress));
  if (!step.isVitest) return { passed: succeeded ? 1 : 0, failed: succeeded ? 0 : 1, left: [], output };
  return { ...countTests(succeeded, readReport(reportFile(step.name))), output };
}

async function lackOf({ lacks }: Step): Promise<string | undefined> {
  const answer = lacks && (await execute(lacks));
  return answer?.succeeded ? answer.output.trim() : undefined;
}

async function execute(
  [command = "", ...args]: readonly string[],
  report: (progress: Progress) => void = () => {},
): Promise<{ succeeded: boolean; output: string }> {
  const colored = process.stdout.isTTY && !process.env.NO_COLOR;
  const program = execa(join(bin, command), args, {
    cwd: root,
    env: {
      ...(colored ? { FORCE_COLOR: "1" } : { FORCE_COLOR: undefined, NO_COLOR: "1" }),
      PATH: [bin, process.env.PATH].join(delimiter),
    },
    stdin: "ignore",
    all: true,
    ipc: true,
    reject: false,
    cancelSignal: stop.signal,
  });
  const messages = (async () => {
    for await (const message of program.getEachMessage()) report(message as unknown as Progress);
  })();
  const { exitCode, all, failed, shortMessage } = await program;
  await messages;
  if (stop.signal.aborted) process.exit(1);
  return { succeeded: !failed, output: exitCode === undefined ? `${all}\n${shortMessage}` : all };
}

function showProgress(): void {
  const shown = [...running].map(([name, at]) => (at ? `${name} ${at.done}/${at.cases}` : name));
  clearLine();
  process.stdout.write(shown.join("  ").slice(0, (process.stdout.columns || 80) - 1));
}

function clearLine(): void {
  if (process.stdout.isTTY) process.stdout.write("\r\x1b[K");
}

function slowest(count: number): string[] {
  const cases = steps
    .filter(({ isVitest }) => isVitest)
    .flatMap(({ name }) => casesOf(readReport(reportFile(name))).map((test) => ({ ...test, step: name })));
  const sorted = cases.sort((one, other) => (other.duration ?? 0) - (one.duration ?? 0)).slice(0, count);
  return sorted.map(
    ({ step, fullName, duration }) => `${((duration ?? 0) / 1000).toFixed(1).padStart(6)} s  ${step}: ${fullName}`,
  );
}

function describe({ passed, failed, skipped }: { passed: number; failed: number; skipped: number }): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

const total = await runAll();
console.log(["the slowest:", ...slowest(10), `${Math.round(performance.now() / 1000)} s`].join("\n"));
console.log(describe(total));
if (total.failed > 0 || total.passed === 0) process.exitCode = 1;
