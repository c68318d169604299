import path from "node:path";
import { twoInterfaces } from "../../e2e/support.ts";
import { jobOf } from "../../nomad/jobs.ts";
import { isPassedCheck } from "../../nomad/log.ts";
import { NomadLab } from "../../nomad/nomad-lab.ts";
import { isNomadBuilt } from "../../support/nomad.ts";
import { say } from "../../support/progress.ts";
import type { Stage } from "./peers.ts";
import type { Restore } from "./report.ts";
import { spreadOf } from "./statistics.ts";

const allocations = 50;
const restarts = 3;

/** Times how long a Nomad client needs after a restart until it has checked all allocations, each with two interfaces. */
export async function timeRestores({ peers }: Stage): Promise<{ restore?: Restore; missing: string[] }> {
  if (!(await isNomadBuilt()))
    return { missing: ["Nomad restore: Nomad is missing (set NOMAD_BIN, or run npm run test:nomad)"] };
  const seconds: Restore["seconds"][number][] = [];
  for (const { name, file } of peers) {
    if (file === undefined || name === "slim, musl") continue;
    say(`Nomad restore of ${allocations} allocations: ${name}`);
    seconds.push({ peer: name, ...spreadOf(await timeRestore(path.dirname(file))) });
  }
  return { restore: { allocations, runs: restarts, seconds }, missing: [] };
}

async function timeRestore(wrappers: string): Promise<number[]> {
  await using nomad = await NomadLab.start({ networks: [twoInterfaces()], wrappers });
  await nomad.run(jobOf({ network: "cni/zone", count: allocations }));
  const seconds: number[] = [];
  for (let restart = 0; restart < restarts; restart++) {
    await nomad.restartClient();
    seconds.push(await nomad.untilLogged(allocations, isPassedCheck));
  }
  return seconds;
}
