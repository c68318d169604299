import { readdir } from "node:fs/promises";
import path from "node:path";
import { jobOf } from "../../nomad/jobs.ts";
import { isDealtWith } from "../../nomad/log.ts";
import { NomadLab } from "../../nomad/nomad-lab.ts";
import { isSound, survived } from "../../nomad/survey.ts";
import type { Lab } from "../../support/lab.ts";
import { leftovers } from "../../support/leftovers.ts";
import { say } from "../../support/progress.ts";
import type { NetworkList } from "../../support/runtime.ts";
import type { Course } from "./report.ts";

/** The allocations of one list, and what they go through. */
export interface Load {
  readonly title: string;
  readonly list: NetworkList;
  /** The directory of the wrappers' slim flavor, if it takes the place of the Node flavor. */
  readonly slim?: string;
  readonly count: number;
  readonly restarts: number;
}

// One after another would take long, and all at once would hide which one does not start.
const batch = 20;

/** Starts the allocations, restarts the client again and again, looks at each allocation each time, and stops them. */
export async function follow({ title, list, slim, count, restarts }: Load): Promise<Course> {
  await using nomad = await NomadLab.start({
    networks: [list],
    patience: 900,
    ...(slim && { programs: { "cni-wrappers": path.join(slim, "cni-wrappers") }, prepare: installSlim(slim) }),
  });
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

function installSlim(directory: string): (lab: Lab) => Promise<void> {
  return async (lab) => {
    const links = (await readdir(directory)).filter((name) => name.endsWith("-wrapper"));
    const renew = links.map((name) => `ln -sf /run/lab/programs/cni-wrappers ${name}`);
    await lab.run("sh", ["-ec", ["cd /opt/cni/bin", ...renew].join("\n")]);
  };
}
