// `npm run test:kernel`: the end-to-end cases that need a feature of the kernel, in a second kernel (User Mode Linux) that
// has all of them, and reboots of that kernel. As many kernels run as there are CPUs.
//
//     node test/kernel/run.ts                   the reboots in slim, and each case once: one of each plugin in the Node flavor
//     node test/kernel/run.ts --cases           the same without the reboots
//     node test/kernel/run.ts --all             everything in each flavor, Nomad, and the plugins in OTHER_PLUGINS
//     node test/kernel/run.ts --report FILE     writes the results in the format of vitest's JSON report
//     node test/kernel/run.ts lacks             prints what this host lacks, in one line; nothing if nothing is missing
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { cargoProblem } from "../../build/slim/toolchain.ts";
import { flavors } from "../support/flavors.ts";
import { isNomadBuilt } from "../support/nomad.ts";
import { inTurn, kernelCases, oneOfEachPlugin, type Selection } from "./cases.ts";
import { nomadLists } from "./nomad-lists.ts";
import { reboots } from "./reboots.ts";
import { type Report, reportOf } from "./results.ts";
import { runCases } from "./run-cases.ts";
import { kernelProblem, ownCpus } from "./second-kernel.ts";

type Flavor = (typeof flavors)[number];

/** The cases of one kernel, or of kernels that boot one after the other. */
type Job = (cpu: number | undefined) => Promise<Report>;

const { values, positionals } = parseArgs({
  options: {
    all: { type: "boolean", default: false },
    cases: { type: "boolean", default: false },
    report: { type: "string" },
  },
  allowPositionals: true,
});

if (positionals[0] === "lacks") process.stdout.write(kernelProblem() ?? "");
else await runAll();

async function runAll(): Promise<void> {
  const testResults = (await runJobs(await jobs(), ownCpus())).flatMap((report) => report.testResults);
  if (!values.cases) testResults.push(...listReport(testResults).testResults);
  if (values.report) writeFileSync(values.report, JSON.stringify({ testResults }));
  if (testResults.some(({ status }) => status !== "passed")) process.exitCode = 1;
}

/** Each CPU takes the next job when it is free: a kernel on two CPUs is ten times slower. */
async function runJobs(waiting: Job[], cpus: readonly number[]): Promise<Report[]> {
  const found: Report[] = [];
  const work = async (cpu: number) => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) found.push(await next(cpu));
  };
  await Promise.all(cpus.map(work));
  return found;
}

/** The longest jobs come first. Without cargo there is only the Node flavor. */
async function jobs(): Promise<Job[]> {
  const cases = kernelCases("e2e");
  const [node, slim] = flavors;
  const faster = cargoProblem() === undefined ? slim : node;
  if (values.all) {
    const inSlim = faster === slim ? [...rebootsOf(slim), ...casesOf(slim, cases)] : [];
    const inNode = [...rebootsOf(node), ...casesOf(node, cases), ...otherPlugins()];
    return [...inNode, ...(await nomadOf(faster)), ...inSlim];
  }
  const { ones, rest } = oneOfEachPlugin(cases);
  const shared = faster === slim ? [...casesOf(slim, rest), ...casesOf(node, ones, 1)] : casesOf(node, cases);
  return values.cases ? shared : [...rebootsOf(faster), ...shared];
}

async function nomadOf({ env }: Flavor): Promise<Job[]> {
  const missing = { name: "Nomad", problems: ["it is not built here: npm run test:nomad builds it"] };
  const isBuilt = await isNomadBuilt();
  const told = (cpu: number | undefined) => (isBuilt ? nomadLists(env.CNI_WRAPPERS_BIN ?? "", cpu) : [missing]);
  return [(cpu) => timed("nomad", async () => reportOf("nomad", await told(cpu)))];
}

function casesOf({ suffix }: Flavor, selection: Selection, kernels = ownCpus().length): Job[] {
  const parts = inTurn(selection, kernels).filter((part) => Object.keys(part).length > 0);
  return parts.map((part) => (cpu) => timed(`e2e${suffix}`, () => runCases("e2e", suffix, part, cpu)));
}

/** The tests of other projects' plugins, if there are any. */
function otherPlugins(): Job[] {
  if (!process.env.OTHER_PLUGINS) return [];
  return [(cpu) => timed("runtimes", () => runCases("runtimes", "", kernelCases("runtimes"), cpu))];
}

function rebootsOf({ env, suffix }: Flavor): Job[] {
  const bin = env.CNI_WRAPPERS_BIN ?? "";
  const parts = ownCpus().length;
  return Array.from(
    { length: parts },
    (_, part): Job =>
      (cpu) =>
        timed(`reboots${suffix}`, async () => reportOf("reboots", await reboots({ bin, part, parts, cpu }))),
  );
}

/** Prints the cases when they have run. */
async function timed(what: string, run: () => Promise<Report>): Promise<Report> {
  const started = performance.now();
  const report = await run();
  tell(what, report, ` (${((performance.now() - started) / 1000).toFixed(0)} s)`);
  return report;
}

/** Compares the reboots with the committed list: a case that is missing, or not in the list, is a failure. */
function listReport(testResults: Report["testResults"]): Report {
  const listed: string[] = JSON.parse(readFileSync(path.join(import.meta.dirname, "reboots.json"), "utf8"));
  const ran = testResults.filter(({ name }) => name === "reboots").flatMap(({ assertionResults }) => assertionResults);
  const names = ran.map(({ fullName }) => fullName);
  const missing = listed.filter((name) => !names.includes(name));
  const unlisted = names.filter((name) => !listed.includes(name));
  const report = reportOf("list of the reboots", [
    ...missing.map((name) => ({ name, problems: ["did not run"] })),
    ...unlisted.map((name) => ({ name, problems: ["test/kernel/reboots.json does not have it"] })),
  ]);
  tell("list of the reboots", report);
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
