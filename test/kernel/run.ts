// `npm run test:kernel`: the end-to-end cases that need a feature of the kernel, in a second kernel (User Mode Linux) that
// has all of them. As many kernels run as there are CPUs.
//
//     node test/kernel/run.ts                   each case once: one of each plugin in the Node flavor, the rest in slim
//     node test/kernel/run.ts --all             everything in each flavor, Nomad, and the plugins in OTHER_PLUGINS
//     node test/kernel/run.ts --report FILE     writes the results in the format of vitest's JSON report
//     node test/kernel/run.ts lacks             prints what this host lacks, in one line; nothing if nothing is missing
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { cargoProblem } from "../../build/slim/toolchain.ts";
import { flavors } from "../support/flavors.ts";
import { isNomadBuilt } from "../support/nomad.ts";
import { inTurn, kernelCases, oneOfEachPlugin, type Selection } from "./cases.ts";
import { nomadLists } from "./nomad-lists.ts";
import { type Report, reportOf } from "./results.ts";
import { runCases } from "./run-cases.ts";
import { kernelProblem, ownCpus } from "./second-kernel.ts";

type Flavor = (typeof flavors)[number];

/** The cases of one kernel. */
type Job = (cpu: number | undefined) => Promise<Report>;

const { values, positionals } = parseArgs({
  options: {
    all: { type: "boolean", default: false },
    report: { type: "string" },
  },
  allowPositionals: true,
});

if (positionals[0] === "lacks") process.stdout.write(kernelProblem() ?? "");
else await runAll();

async function runAll(): Promise<void> {
  const testResults = (await runJobs(await jobs(), ownCpus())).flatMap((report) => report.testResults);
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
    const inSlim = faster === slim ? casesOf(slim, cases) : [];
    return [...casesOf(node, cases), ...otherPlugins(), ...(await nomadOf(faster)), ...inSlim];
  }
  const { ones, rest } = oneOfEachPlugin(cases);
  return faster === slim ? [...casesOf(slim, rest), ...casesOf(node, ones, 1)] : casesOf(node, cases);
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

/** Prints the cases when they have run. */
async function timed(what: string, run: () => Promise<Report>): Promise<Report> {
  const started = performance.now();
  const report = await run();
  tell(what, report, ` (${((performance.now() - started) / 1000).toFixed(0)} s)`);
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
