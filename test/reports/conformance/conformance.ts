// `npm run test:conformance`: the rules of the specification as cases that run against plugins. `-- --help` says more.
import { atOnce } from "../../../cli/live/at-once.ts";
import { checkRoot, UsageError } from "../../../conformance/options.ts";
import { specVersions } from "../../../conformance/specification.ts";
import { inParts, kernelProblem, rerunInSecondKernel } from "../../kernel/second-kernel.ts";
import { isPossible } from "../../support/needs.ts";
import { say } from "../../support/progress.ts";
import { help, type Options, parseOptions } from "./options.ts";
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

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if (options === undefined) {
    console.log(help);
    return 0;
  }
  checkRoot();
  const problem = options.kernel ? kernelProblem() : undefined;
  if (problem !== undefined) throw new UsageError(problem);
  if (options.tasks === undefined) return runTable(options);
  process.stdout.write(JSON.stringify(await runHere(JSON.parse(options.tasks), options)));
  return 0;
}

async function runTable(options: Options): Promise<number> {
  const plugins = options.only ?? Object.keys(setups);
  const tasks = plugins.flatMap((plugin) => executablesOf(plugin, options).map((each): Task => [plugin, each]));
  const here = tasks.filter(([plugin]) => isPossible(setups[plugin]));
  const elsewhere = options.kernel ? tasks.filter((task) => !here.includes(task)) : [];
  const ended = (await Promise.all([runHere(here, options), runInSecondKernels(elsewhere, options)])).flat();
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
function executablesOf(plugin: string, { node }: Options): Executable[] {
  const built = builtExecutables();
  const isNodeWanted = node || withNode.includes(plugin) || !built.includes("slim");
  return built.filter((each) => each !== "node" || isNodeWanted);
}

async function runHere(tasks: readonly Task[], { spec = specVersions, plugins }: Options): Promise<Ended[]> {
  const given = plugins === undefined ? undefined : { directory: plugins };
  const ended = await atOnce(tasks, workers, async (task) => {
    const own = await runPlugin(...task, spec, given);
    say(`${task.join(", ")}: done`);
    return own;
  });
  return ended.flat();
}

/** Each CPU has a kernel with its part of the plugins that this machine's kernel cannot run. Node starts too slowly. */
async function runInSecondKernels(tasks: readonly Task[], { spec = specVersions }: Options): Promise<Ended[]> {
  const fast = builtExecutables().includes("slim") ? tasks.filter(([, executable]) => executable !== "node") : tasks;
  const ended = await inParts(fast, (own, cpu) => {
    const given = ["--tasks", JSON.stringify(own), "--spec", spec.join()];
    return rerunInSecondKernel<Ended[]>(import.meta.filename, given, cpu);
  });
  return ended.flat();
}
