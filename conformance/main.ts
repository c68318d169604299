// `cni-conformance`: the rules of the CNI specification as cases that run against one plugin. `--help` says more.
import { writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { Lab, serveOption } from "./lab.ts";
import { firstLine, help, isInstalled, type Options, parseOptions, UsageError } from "./options.ts";
import { jsonOf, junitOf, type Run, textOf } from "./report.ts";
import { listedVersions, runCases, tryFirst } from "./run.ts";
import { serve } from "./serve.ts";
import { Stopped } from "./specification.ts";
import type { Target } from "./target.ts";

// The build defines them.
declare const __VERSION__: string;
declare const __COMMIT__: string;

async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if (typeof options === "string") {
    console.log(options === "help" ? help : `cni-conformance ${__VERSION__} (${__COMMIT__})`);
    return 0;
  }
  const run = await tryOut(options);
  console.log(options.json ? jsonOf(run) : textOf(run));
  if (options.junit !== undefined) writeFileSync(options.junit, junitOf(run));
  return run.ended.some(({ problem }) => problem !== "") ? 1 : 0;
}

async function tryOut({ plugin, target: described, spec, cases, seconds, words }: Options): Promise<Run> {
  const type = path.basename(plugin);
  await using lab = await startLab(path.dirname(plugin));
  const target = { ...described, type, file: `${lab.pluginPath}/${type}`, seconds };
  const { versions, problem } = await begin(lab, target, spec);
  const ended = await runCases(lab, target, versions, cases);
  if (ended.length === 0)
    throw new UsageError(`no case is about ${versions.join(", ")}. --spec chooses other versions`);
  const hint = target.role === "chained" ? ". If the plugin makes an interface, give --role interface" : "";
  const notes = [
    ...(problem === undefined ? [] : [`ADD with this configuration fails, so most cases fail. ${problem}${hint}`]),
    ...["iptables-save", "nft"]
      .filter((program) => !isInstalled(program))
      .map((program) => `${program} is not installed, so no case compares its packet rules`),
  ];
  return { plugin, ended, notes, words };
}

/** The versions to try, and why the first ADD fails; undefined if it does not. */
async function begin(lab: Lab, target: Target, spec: Options["spec"]) {
  try {
    const versions = spec ?? (await listedVersions(lab, target));
    return { versions, problem: await tryFirst(lab, target, versions.at(-1) ?? "1.1.0") };
  } catch (error) {
    throw error instanceof Stopped ? new UsageError(`no case was run. ${error.message}`) : error;
  }
}

async function startLab(plugins: string): Promise<Lab> {
  try {
    return await Lab.start(plugins);
  } catch (error) {
    throw new UsageError(`no private namespaces: ${firstLine(error)}`);
  }
}

const [first, folder] = process.argv.slice(2);
if (first === serveOption && folder !== undefined) {
  process.exitCode = serve(folder);
} else {
  main(process.argv.slice(2)).then(
    (exitCode) => {
      process.exitCode = exitCode;
    },
    (error) => {
      // Not the stack: a run that cannot begin ends with one line.
      console.error(`cni-conformance: ${error instanceof UsageError ? error.message : firstLine(error)}`);
      process.exitCode = 2;
    },
  );
}
