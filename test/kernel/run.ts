// `npm run test:kernel`: the end-to-end cases that need a feature of the kernel, in a second kernel (User Mode Linux) that
// has all of them, and reboots of that kernel. Each flavor has a kernel of its own.
//
//     node test/kernel/run.ts                   every case in each flavor, and the reboots
//     node test/kernel/run.ts --once            every case in the faster flavor only, and no reboots
//     node test/kernel/run.ts --report FILE     writes the results in the format of vitest's JSON report
//     node test/kernel/run.ts lacks             prints what this host lacks, in one line; nothing if nothing is missing
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { cargoProblem } from "../../build/slim/toolchain.ts";
import { flavors } from "../support/flavors.ts";
import { inTurn, kernelCases, type Selection, vitestArguments } from "./cases.ts";
import { reboots, type Told } from "./reboots.ts";
import { type Report, reportOf, resultsOf } from "./results.ts";
import { inSecondKernel, kernelProblem, ownCpus, sharedFolder } from "./second-kernel.ts";

/** The cases of one flavor. */
interface Share {
  readonly suffix: string;
  readonly selection: Selection;
}

const root = path.resolve(import.meta.dirname, "../..");
const { values, positionals } = parseArgs({
  options: { once: { type: "boolean", default: false }, report: { type: "string" } },
  allowPositionals: true,
});

if (positionals[0] === "lacks") process.stdout.write(kernelProblem() ?? "");
else await runAll();

async function runAll(): Promise<void> {
  const cpus = ownCpus();
  const parts = await Promise.all(shares().map((share, index, all) => runPart(share, index, all.length, cpus)));
  const told = parts.flatMap((part) => part.told);
  const all: Report = { testResults: parts.flatMap(({ report }) => report.testResults) };
  if (!values.once) all.testResults.push(...rebootReport(told, listedReboots()).testResults);
  if (values.report) writeFileSync(values.report, JSON.stringify(all));
  if (all.testResults.some(({ status }) => status !== "passed")) process.exitCode = 1;
}

/** A flavor's kernels use one CPU, one after the other. Each case of the reboots runs in one flavor. */
async function runPart(share: Share, part: number, parts: number, cpus: readonly number[]) {
  const cpu = cpus[part % cpus.length];
  const report = await runShare(share, cpu);
  const flavor = flavors.find(({ suffix }) => suffix === share.suffix) ?? flavors[0];
  const bin = flavor.env.CNI_WRAPPERS_BIN ?? "";
  return { report, told: values.once ? [] : await reboots({ bin, part, parts, cpu }) };
}

/** Compares with the committed list: a case that is missing, or not in the list, is a failure. */
function rebootReport(told: readonly Told[], names: readonly string[]): Report {
  const missing = names.filter((name) => !told.some((each) => each.name === name));
  const unlisted = told.filter(({ name }) => !names.includes(name));
  const report = reportOf("reboots", [
    ...told,
    ...missing.map((name) => ({ name, problems: ["did not run"] })),
    ...unlisted.map(({ name }) => ({
      name: `list of ${name}`,
      problems: ["test/kernel/reboots.json does not have it"],
    })),
  ]);
  tell("reboots", report);
  return report;
}

function listedReboots(): string[] {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, "reboots.json"), "utf8"));
}

/** Without cargo there is only the Node flavor. */
function shares(): Share[] {
  const built = flavors.filter(({ suffix }) => suffix === "" || cargoProblem() === undefined);
  const cases = kernelCases();
  const { suffix } = built.at(-1) ?? flavors[0];
  if (values.once) return inTurn(cases, ownCpus().length).map((selection) => ({ suffix, selection }));
  return built.map((flavor) => ({ suffix: flavor.suffix, selection: cases }));
}

async function runShare({ suffix, selection }: Share, cpu: number | undefined): Promise<Report> {
  const started = performance.now();
  const command = [path.join(root, "node_modules/.bin/node"), "node_modules/vitest/vitest.mjs", "run"];
  const options = [
    "--project",
    `e2e${suffix}`,
    // The clone cannot be written there.
    "--configLoader=runner",
    // One CPU: another thread only makes it slower. So do the starts of vitest's processes.
    ...["--pool=threads", "--no-isolate", "--maxWorkers=1"],
    ...["--reporter=json", `--outputFile=${sharedFolder}/report.json`],
  ];
  const report = await inSecondKernel(
    [...command, ...options, ...vitestArguments(selection)],
    ({ stdout, stderr }, folder) => {
      const file = path.join(folder, "report.json");
      if (!existsSync(file)) throw new Error(`vitest left no report:\n${stdout}${stderr}`);
      return resultsOf(selection, JSON.parse(readFileSync(file, "utf8")));
    },
    cpu,
  );
  tell(`e2e${suffix}`, report, ` (${((performance.now() - started) / 1000).toFixed(0)} s)`);
  return report;
}

function tell(what: string, { testResults }: Report, time = ""): void {
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  for (const { name, assertionResults } of testResults) {
    for (const { fullName, status, failureMessages = [] } of assertionResults) {
      console.log(`${status === "passed" ? "✓" : "✗"} ${what} ${name}: ${fullName}`);
      for (const message of status === "passed" ? [] : failureMessages) console.log(message);
    }
  }
  const passed = all.filter(({ status }) => status === "passed").length;
  console.log(`second kernel, ${what}: ${passed} of ${all.length} passed${time}`);
}
