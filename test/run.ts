// `npm test`: lint, types, build and all tests. The last line is the verdict.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { cargoProblem } from "../build/slim/toolchain.ts";
import { plainOutcomes } from "./support/plain-outcome.ts";

/**
 * A step does not run if the step that it `needs` failed. Only a missing tool skips a step: a `slim` step if cargo cannot
 * build, another step if its command `lacks` prints what is missing.
 */
type Step = { name: string; command: string[]; isVitest?: true; needs?: string; slim?: true; lacks?: string[] };
/** The tests of a step. `left` has the full names of those that did not run. */
type Count = { passed: number; failed: number; skipped: number; left: string[] };
/** The part of vitest's JSON report that is read. A file may fail without a failed test (a broken import or hook). */
type Report = { testResults: { status: string; assertionResults: { status: string; fullName: string }[] }[] };

const root = join(import.meta.dirname, "..");
// This reporter fails a run that lost a case.
const caseReporters = ["./test/support/case-reporter.ts"];
const scratch = mkdtempSync(join(tmpdir(), "cni-wrappers-test-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

const steps: Step[] = [
  { name: "lint", command: ["biome", "check", "--error-on-warnings"] },
  { name: "types", command: ["tsc"] },
  { name: "core types", command: ["tsc", "--project", "tsconfig.core.json"] },
  { name: "unit", ...vitest("unit") },
  { name: "build", command: ["node", "build/build.ts"] },
  { name: "executable", ...vitest("executable"), needs: "build" },
  { name: "plugins", command: ["node", "test/support/go.ts"] },
  { name: "e2e", ...vitest("e2e", caseReporters), needs: "build" },
  // The rest of this suite takes minutes, and so does the build of Nomad: `npm run test:nomad`.
  {
    name: "nomad",
    ...vitest("nomad", caseReporters, ["test/nomad/short.test.ts"]),
    needs: "build",
    lacks: ["node", "test/support/nomad.ts", "lacks-nomad"],
  },
  { name: "build-slim", command: ["node", "build/slim/build.ts"], slim: true },
  { name: "executable-slim", ...vitest("executable-slim"), needs: "build-slim", slim: true },
  { name: "e2e-slim", ...vitest("e2e-slim", caseReporters), needs: "build-slim", slim: true },
  {
    name: "differential",
    command: ["node", "test/reports/differential/differential.ts"],
    needs: "build-slim",
    slim: true,
  },
  // The end-to-end tests that this machine's kernel cannot run.
  {
    name: "kernel",
    command: ["node", "test/kernel/run.ts", "--cases", "--report", reportFile("kernel")],
    isVitest: true,
    needs: "build",
    lacks: ["node", "test/kernel/run.ts", "lacks"],
  },
];

function vitest(project: string, reporters: string[] = [], files: string[] = []): Pick<Step, "command" | "isVitest"> {
  const chosen = ["default", "json", ...reporters].map((reporter) => `--reporter=${reporter}`);
  // One worker more than vitest starts on two cores: tests mostly wait for plugins.
  const command = [
    "vitest",
    "run",
    "--project",
    project,
    "--maxWorkers=2",
    ...chosen,
    `--outputFile.json=${reportFile(project)}`,
    ...files,
  ];
  return { command, isVitest: true };
}

function reportFile(project: string): string {
  return join(scratch, `${project}.json`);
}

async function runAll(): Promise<Count> {
  const total: Count = { passed: 0, failed: 0, skipped: 0, left: [] };
  const noCargo = cargoProblem();
  const failed = new Set<string>();
  for (const [index, step] of steps.entries()) {
    process.stdout.write(`[${index + 1}/${steps.length}] ${step.name.padEnd(15)} `);
    const count = await countStep(step, failed, noCargo);
    if (count.failed > 0) failed.add(step.name);
    total.passed += count.passed;
    total.failed += count.failed;
    total.skipped += count.skipped;
    total.left.push(...count.left);
  }
  const left = total.left.filter((name) => !passedInSecondKernel().has(name));
  for (const name of left) console.log(`skipped: ${name}`);
  return { ...total, skipped: total.skipped + left.length };
}

function passedInSecondKernel(): Set<string> {
  const tests = readReport("kernel")?.testResults.flatMap((file) => file.assertionResults) ?? [];
  return new Set(tests.filter((test) => test.status === "passed").map((test) => test.fullName));
}

async function countStep(step: Step, failed: ReadonlySet<string>, noCargo: string | undefined): Promise<Count> {
  if (step.slim && noCargo !== undefined) return skipStep(noCargo);
  // The tests of an older build would say nothing about this tree.
  if (step.needs !== undefined && failed.has(step.needs)) {
    console.log(`not run: ${step.needs} failed`);
    return { passed: 0, failed: 1, skipped: 0, left: [] };
  }
  const lacking = step.lacks && (await execute(step.lacks));
  const why = lacking?.succeeded ? lacking.output.trim() : "";
  if (why !== "") return skipStep(why);
  return runStep(step);
}

function skipStep(why: string): Count {
  console.log(`skipped: ${why}`);
  return { passed: 0, failed: 0, skipped: 1, left: [] };
}

async function runStep(step: Step): Promise<Count> {
  const started = performance.now();
  const { succeeded, output } = await execute(step.command);
  const report = step.isVitest ? readReport(step.name) : undefined;
  const count = step.isVitest ? countTests(succeeded, report) : countCommand(succeeded);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `${count.failed === 0 ? "ok" : "FAILED"} (${describe({ ...count, skipped: count.left.length })}; ${seconds} s)`,
  );
  if (count.failed > 0) console.log(`${output.trimEnd()}\n`);
  return count;
}

function execute([command = "", ...args]: string[]): Promise<{ succeeded: boolean; output: string }> {
  const bin = join(root, "node_modules/.bin");
  const colored = process.stdout.isTTY && !process.env.NO_COLOR;
  const colors = colored ? { FORCE_COLOR: "1" } : { FORCE_COLOR: undefined, NO_COLOR: "1" };
  const env = {
    ...process.env,
    ...colors,
    PATH: [bin, process.env.PATH].join(delimiter),
    [plainOutcomes]: join(scratch, "plain-outcomes"),
  };
  const child = spawn(join(bin, command), args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  const { promise, resolve } = Promise.withResolvers<{ succeeded: boolean; output: string }>();
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("error", (error) => chunks.push(Buffer.from(`${error.message}\n`)));
  child.on("close", (code) => resolve({ succeeded: code === 0, output: Buffer.concat(chunks).toString() }));
  return promise;
}

function countCommand(succeeded: boolean): Count {
  return { passed: succeeded ? 1 : 0, failed: succeeded ? 0 : 1, skipped: 0, left: [] };
}

/**
 * Counts the tests in vitest's report. Any other problem (an uncaught error, a reporter, no test that ran) is one
 * failure.
 */
function countTests(succeeded: boolean, report: Report | undefined): Count {
  const files = report?.testResults ?? [];
  const tests = files.flatMap((file) => file.assertionResults);
  const passed = tests.filter((test) => test.status === "passed").length;
  const brokenFiles = files.filter((file) => file.status === "failed" && !file.assertionResults.some(isFailed)).length;
  const failed = tests.filter(isFailed).length + brokenFiles;
  const unexplained = failed === 0 && (!succeeded || passed === 0);
  return { passed, failed: unexplained ? 1 : failed, skipped: 0, left: skippedTests(report) };
}

function isFailed(test: { status: string }): boolean {
  return test.status === "failed";
}

/** The full names of the tests that did not run: skipped, to do, or after a failed hook. */
function skippedTests(report: Report | undefined): string[] {
  const tests = report?.testResults.flatMap((file) => file.assertionResults) ?? [];
  return tests.filter((test) => test.status !== "passed" && !isFailed(test)).map((test) => test.fullName);
}

function readReport(project: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(reportFile(project), "utf8"));
  } catch {
    return undefined;
  }
}

function describe({ passed, failed, skipped }: Count): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

const total = await runAll();
console.log(describe(total));
if (total.failed > 0 || total.passed === 0) process.exitCode = 1;
