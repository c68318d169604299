// Many allocations on one host, through many restarts of its Nomad client. The exit code is 1 if one is lost, or leaves
// something behind. `--count` and `--restarts` change the numbers, `--json` prints the figures.

import { existsSync } from "node:fs";
import path from "node:path";
import { table } from "../../../build/docs/table.ts";
import { twoInterfaces } from "../../e2e/support.ts";
import { jobOf } from "../../nomad/jobs.ts";
import { isDealtWith } from "../../nomad/log.ts";
import { plainOne } from "../../nomad/networks.ts";
import { NomadLab } from "../../nomad/nomad-lab.ts";
import { isSound, survived } from "../../nomad/survey.ts";
import { given } from "../../support/given.ts";
import { leftovers } from "../../support/leftovers.ts";
import { say } from "../../support/progress.ts";
import type { NetworkList } from "../../support/runtime.ts";
import { nomadVersion, sentence } from "../../support/versions.ts";
import { spreadOf } from "../bench/statistics.ts";

/** What became of one list's allocations. */
interface Course {
  readonly title: string;
  readonly count: number;
  /** For each restart, the seconds from the client's start until it was done with the last allocation. */
  readonly seconds: readonly number[];
  /** For each restart, how many allocations had kept their process, namespace, addresses and traffic since their start. */
  readonly survivors: readonly number[];
  /** What the stopped allocations left on the host. */
  readonly left: readonly string[];
}

const { json, count, restarts } = given({ count: 200, restarts: 10, json: false });
// One after another would take long, and all at once would hide which one does not start.
const batch = 20;
const slim = path.resolve(import.meta.dirname, "../../../dist/slim/bin");

const courses = [
  await follow("one plain bridge", plainOne),
  await follow("macvlan and bridge, wrapped", twoInterfaces()),
];
if (existsSync(slim)) courses.push(await follow("macvlan and bridge, wrapped, slim", twoInterfaces(), slim));
else say("the slim flavor is not built, so it has no row");
for (const { title, left } of courses) for (const name of left) say(`${title}: left: ${name}`);
const heading = sentence({ Nomad: await nomadVersion() });
console.log(json ? JSON.stringify(courses, null, 2) : `${heading}\n\n${scaleTable()}`);
process.exitCode = courses.every(isWhole) ? 0 : 1;

/** Starts the allocations, restarts the client again and again, looks at each allocation each time, and stops them. */
async function follow(title: string, list: NetworkList, wrappers?: string): Promise<Course> {
  await using nomad = await NomadLab.start({ networks: [list], patience: 900, ...(wrappers && { wrappers }) });
  for (let running = 0; running < count; ) {
    running = Math.min(running + batch, count);
    await nomad.run(jobOf({ network: `cni/${list.name}`, count: running, isLean: true }));
    say(`${title}: ${running} of ${count} allocations run`);
  }
  const before = await nomad.survey("job");
  const seconds: number[] = [];
  const survivors: number[] = [];
  for (let restart = 1; restart <= restarts; restart++) {
    await nomad.restartClient();
    const took = await nomad.untilLogged(count, isDealtWith);
    seconds.push(took);
    const after = await nomad.survey("job");
    survivors.push(before.filter((state) => isSound(state) && survived(state, after)).length);
    say(`${title}: restart ${restart} of ${restarts}: ${survivors.at(-1)} of ${count} survived (${took.toFixed(1)} s)`);
  }
  await nomad.stop("job");
  const left = (await leftovers(nomad.lab)).filter((name) => name !== "link disc0");
  return { title, count, seconds, survivors, left };
}

/** Whether there were restarts, no allocation was lost, and nothing was left. */
function isWhole({ survivors, left }: Course): boolean {
  return survivors.length > 0 && survivors.every((number) => number === count) && left.length === 0;
}

/** The table of all lists. The first list is the measure of the others. */
function scaleTable(): string {
  const medians = courses.map(({ seconds }) => spreadOf(seconds).median);
  const rows = courses.map(({ title, survivors, left }, index) => {
    const [median = Number.NaN, base = Number.NaN] = [medians[index], medians[0]];
    const survived = `${Math.min(...survivors)} of ${count}`;
    return [title, `${restarts}`, survived, `${left.length}`, `${median.toFixed(1)} s`, (median / base).toFixed(2)];
  });
  return table(["list", "restarts", "survived each", "left behind", "a restore, median", "ratio"], rows);
}
