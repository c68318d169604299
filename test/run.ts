// Everything that must hold, in one command: lint, types, build and all tests. The last line is the verdict.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

type Step = { name: string; command: string[]; isVitest?: true; needsBuild?: true };
type Count = { passed: number; failed: number; skipped: number };
/** What is read of vitest's JSON report; a file may fail without a failed test (a broken import or hook). */
type Report = { testResults: { status: string; assertionResults: { status: string; fullName: string }[] }[] };

const root = join(import.meta.dirname, "..");
const caseReporter = "./test/tools/case-reporter.ts";
const scratch = mkdtempSync(join(tmpdir(), "cni-wrappers-test-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

const steps: Step[] = [
  { name: "lint", command: ["biome", "check", "--error-on-warnings"] },
  { name: "types", command: ["tsc"] },
  { name: "unit", ...vitest("unit") },
  { name: "build", command: ["node", "build/build.ts"] },
  { name: "executable", ...vitest("executable"), needsBuild: true },
  { name: "plugins", command: ["node", "test/tools/go.ts"] },
  { name: "e2e", ...vitest("e2e", existsSync(join(root, caseReporter)) ? [caseReporter] : []), needsBuild: true },
];

function vitest(project: string, reporters: string[] = []): Pick<Step, "command" | "isVitest"> {
  const chosen = ["default", "json", ...reporters].map((reporter) => `--reporter=${reporter}`);
  // One worker more than vitest starts on two cores: a test waits for plugins more than it computes.
  const command = [
    "vitest",
    "run",
    "--project",
    project,
    "--maxWorkers=2",
    ...chosen,
    `--outputFile.json=${reportFile(project)}`,
  ];
  return { command, isVitest: true };
}

function reportFile(project: string): string {
  return join(scratch, `${project}.json`);
}

async function runAll(): Promise<Count> {
  const total: Count = { passed: 0, failed: 0, skipped: 0 };
  let built = true;
  for (const [index, step] of steps.entries()) {
    process.stdout.write(`[${index + 1}/${steps.length}] ${step.name.padEnd(10)} `);
    const count: Count = step.needsBuild && !built ? notRun() : await runStep(step);
    if (step.name === "build") built = count.failed === 0;
    total.passed += count.passed;
    total.failed += count.failed;
    total.skipped += count.skipped;
  }
  return total;
}

/** Testing what an earlier build left would say nothing about this tree. */
function notRun(): Count {
  console.log("not run: the build failed");
  return { passed: 0, failed: 1, skipped: 0 };
}

async function runStep(step: Step): Promise<Count> {
  const started = performance.now();
  const { succeeded, output } = await execute(step.command);
  const report = step.isVitest ? readReport(step.name) : undefined;
  const count = step.isVitest ? countTests(succeeded, report) : countCommand(succeeded);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${count.failed === 0 ? "ok" : "FAILED"} (${describe(count)}; ${seconds} s)`);
  for (const name of skippedTests(report)) console.log(`      skipped: ${name}`);
  if (count.failed > 0) console.log(`${output.trimEnd()}\n`);
  return count;
}

function execute([command = "", ...args]: string[]): Promise<{ succeeded: boolean; output: string }> {
  const bin = join(root, "node_modules/.bin");
  const colored = process.stdout.isTTY && !process.env.NO_COLOR;
  const colors = colored ? { FORCE_COLOR: "1" } : { FORCE_COLOR: undefined, NO_COLOR: "1" };
  const env = { ...process.env, ...colors, PATH: [bin, process.env.PATH].join(delimiter) };
  const child = spawn(join(bin, command), args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  const { promise, resolve } = Promise.withResolvers<{ succeeded: boolean; output: string }>();
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("error", (error) => chunks.push(Buffer.from(`${error.message}\n`)));
  child.on("close", (code) => resolve({ succeeded: code === 0, output: Buffer.concat(chunks).toString() }));
  return promise;
}

function countCommand(succeeded: boolean): Count {
  return { passed: succeeded ? 1 : 0, failed: succeeded ? 0 : 1, skipped: 0 };
}

/** Counts what vitest reported; whatever else made it fail (an uncaught error, a reporter, no test) is one failure. */
function countTests(succeeded: boolean, report: Report | undefined): Count {
  const files = report?.testResults ?? [];
  const tests = files.flatMap((file) => file.assertionResults);
  const passed = tests.filter((test) => test.status === "passed").length;
  const brokenFiles = files.filter((file) => file.status === "failed" && !file.assertionResults.some(isFailed)).length;
  const failed = tests.filter(isFailed).length + brokenFiles;
  const unexplained = failed === 0 && (!succeeded || tests.length === 0);
  return { passed, failed: unexplained ? 1 : failed, skipped: skippedTests(report).length };
}

function isFailed(test: { status: string }): boolean {
  return test.status === "failed";
}

/** The full names of the tests that did not run: skipped, to do, or behind a failed hook. */
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
