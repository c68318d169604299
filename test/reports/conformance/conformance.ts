// `npm run test:conformance`: the rules of the specification as cases that run against the reference plugins and their wrappers.
// The exit code is 1 if a wrapper breaks a rule that the plain plugin follows, or the results are not those of results.json.
import { atOnce } from "../../../cli/live/at-once.ts";
import { checkRoot, oneOf, specOf, UsageError } from "../../../conformance/options.ts";
import { type SpecVersion, specVersions } from "../../../conformance/specification.ts";
import { inParts, kernelProblem, rerunInSecondKernel } from "../../kernel/second-kernel.ts";
import { given, text } from "../../support/given.ts";
import { isPossible } from "../../support/needs.ts";
import { say } from "../../support/progress.ts";
import { summary, writeReport } from "./report.ts";
import { problemsOf } from "./results.ts";
import { builtExecutables, type Ended, type Executable, runPlugin } from "./run.ts";
import { setups } from "./setups.ts";

/** A plugin of the table, and which executable of it. */
type Task = readonly [plugin: string, executable: Executable];

/** The number of labs at a time. They mostly wait for the kernel. */
const workers = 8;
/** An interface plugin and a chained one. Other tests show that both flavors behave the same. */
const withNode = ["bridge", "portmap"];

const options = given({
  /** Some of the reference plugins, such as bridge,tuning, with what each case says. */
  only: text,
  /** Versions of the specification, such as 0.4.0,1.1.0. */
  spec: text,
  /** Every wrapper in the Node flavor too, not only those of bridge and portmap. */
  node: false,
  /** In a second kernel, the plugins that this machine's kernel cannot run. */
  kernel: false,
  /** Renews docs/conformance.md and results.json. */
  write: false,
  /** For the second kernel: its tasks as JSON. */
  tasks: text,
  /** The folder of the plain plugins, if they are not those of the newest release. */
  plugins: text,
});

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

async function main(): Promise<number> {
  checkRoot();
  const problem = options.kernel ? kernelProblem() : undefined;
  if (problem !== undefined) throw new UsageError(problem);
  if (options.tasks === undefined) return runTable();
  process.stdout.write(JSON.stringify(await runHere(JSON.parse(options.tasks))));
  return 0;
}

async function runTable(): Promise<number> {
  const known = Object.keys(setups);
  const plugins = options.only?.split(",").map((name) => oneOf("--only", name, known)) ?? known;
  const tasks = plugins.flatMap((plugin) => executablesOf(plugin).map((each): Task => [plugin, each]));
  const here = tasks.filter(([plugin]) => isPossible(setups[plugin]));
  const elsewhere = options.kernel ? tasks.filter((task) => !here.includes(task)) : [];
  const ended = (await Promise.all([runHere(here), runInSecondKernels(elsewhere)])).flat();
  const isWhole = options.spec === undefined;
  if (options.write && isWhole) writeReport(ended);
  console.log(summary(ended, options.only !== undefined));
  const leftOut = plugins.filter((plugin) => !ended.some((each) => each.plugin === plugin));
  if (leftOut.length > 0) console.log(`\nNot run, as this kernel lacks them: ${leftOut.join(", ")}. See --kernel.`);
  const run = plugins.filter((plugin) => !leftOut.includes(plugin));
  const problems = problemsOf(ended, isWhole ? run : []);
  for (const problem of problems) console.error(problem);
  console.log(`\ntotal: ${run.length} plugins, ${ended.length} runs of cases, ${problems.length} unexpected outcomes`);
  return problems.length === 0 ? 0 : 1;
}

/** The plain plugin and the slim flavor. The Node flavor of some, or of all if the slim flavor is not built. */
function executablesOf(plugin: string): Executable[] {
  const built = builtExecutables();
  const isNodeWanted = options.node || withNode.includes(plugin) || !built.includes("slim");
  return built.filter((each) => each !== "node" || isNodeWanted);
}

function spec(): readonly SpecVersion[] {
  return options.spec === undefined ? specVersions : specOf(options.spec);
}

async function runHere(tasks: readonly Task[]): Promise<Ended[]> {
  const plugins = options.plugins === undefined ? undefined : { directory: options.plugins };
  const ended = await atOnce(tasks, workers, async (task) => {
    const own = await runPlugin(...task, spec(), plugins);
    say(`${task.join(", ")}: done`);
    return own;
  });
  return ended.flat();
}

/** Each CPU has a kernel with its part of the plugins that this machine's kernel cannot run. Node starts too slowly. */
async function runInSecondKernels(tasks: readonly Task[]): Promise<Ended[]> {
  const fast = builtExecutables().includes("slim") ? tasks.filter(([, executable]) => executable !== "node") : tasks;
  const ended = await inParts(fast, (own, cpu) => {
    const given = ["--tasks", JSON.stringify(own), "--spec", spec().join()];
    return rerunInSecondKernel<Ended[]>(import.meta.filename, given, cpu);
  });
  return ended.flat();
}
