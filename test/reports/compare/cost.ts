import { bridge, zone } from "../../e2e/support.ts";
import { Lab } from "../../support/lab.ts";
import { must } from "../../support/must.ts";
import { sizeOf, withLibraries } from "../../support/program.ts";
import { say } from "../../support/progress.ts";
import type { NetworkList } from "../../support/runtime.ts";
import { spreadOf } from "../bench/statistics.ts";
import { creators } from "./attachments.ts";
import type { Contestant } from "./contestant.ts";
import { type Cell, comparedPlugins, type Measure, setScene } from "./row.ts";

const checks = 10;
const rounds = 20;

/**
 * Times ten CHECKs through go-cni, contestant after contestant and round by round. Returns the ratio to the bridge
 * plugin alone with one interface. Both include the driver's own time.
 */
export async function timeChecks(contestants: readonly Contestant[]): Promise<Map<Contestant, Cell>> {
  await using stack = new AsyncDisposableStack();
  const bare = stack.use(await bareRunner());
  const runners = new Map<Contestant, Lab>();
  for (const contestant of contestants) runners.set(contestant, stack.use(await runnerOf(contestant)));
  const figures = new Map<Lab, number[]>();
  // The first round fills the page cache and brings the clocks up to speed.
  for (const runner of [bare, ...runners.values()]) await timed(runner);
  for (let round = 1; round <= rounds; round++) {
    for (const runner of [bare, ...runners.values()]) {
      figures.set(runner, [...(figures.get(runner) ?? []), await timed(runner)]);
    }
    if (round % 5 === 0 || round === rounds) say(`time: ${round} of ${rounds} rounds`);
  }
  const medianOf = (runner: Lab) => spreadOf(figures.get(runner) ?? []).median;
  return new Map(
    [...runners].map(([contestant, runner]) => [contestant, { words: (medianOf(runner) / medianOf(bare)).toFixed(1) }]),
  );
}

async function bareRunner(): Promise<Lab> {
  const lab = await Lab.start({ plugins: comparedPlugins });
  const list = zone(bridge);
  const container = await lab.addContainer("c1");
  must(await lab.goCni.add(list, container));
  await writeScript(lab, list, Lab.pluginPath);
  return lab;
}

async function runnerOf(contestant: Contestant): Promise<Lab> {
  const scene = await setScene(contestant);
  const list = contestant.list(creators);
  must(await scene.call.add(list));
  await writeScript(scene.lab, list, contestant.pluginPath);
  return scene.lab;
}

async function writeScript(lab: Lab, conflist: NetworkList, pluginPath: string): Promise<void> {
  const request = { pluginPath, conflist, id: "c1", netns: "/run/netns/c1" };
  await lab.writeFile("/run/lab/request.json", JSON.stringify(request));
  const calls = Array(checks).fill("/run/lab/drivers/gocni check </run/lab/request.json");
  await lab.writeFile("/run/lab/checks.sh", ["set -e", ...calls, ""].join("\n"));
}

async function timed(lab: Lab): Promise<number> {
  const start = performance.now();
  await lab.run("sh", ["/run/lab/checks.sh"]);
  return performance.now() - start;
}

/** The size of what a contestant installs. */
export const size: Measure = async ({ files, needs }) => {
  const own = inMegabytes(sizeOf(files));
  if (needs.length === 0) return { words: files.length === 0 ? "0" : own };
  const programs = await Promise.all(needs.map(withLibraries));
  const others = inMegabytes(sizeOf([...new Set(programs.flat())]));
  return { words: own, notes: [`And ${others} for ${needs.join(" and ")}, if the host does not have them.`] };
};

function inMegabytes(bytes: number): string {
  return bytes < 100_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
