import { bridge, macvlan } from "../../e2e/support.ts";
import { jobOf } from "../../nomad/jobs.ts";
import { errorsOf, isDealtWith, isFailedCheck } from "../../nomad/log.ts";
import { joinLayer2, layer2 } from "../../nomad/networks.ts";
import { NomadLab } from "../../nomad/nomad-lab.ts";
import { survived } from "../../nomad/survey.ts";
import type { Lab } from "../../support/lab.ts";
import type { Contestant, Creators } from "./contestant.ts";
import { type Cell, comparedPlugins, quoted, type Rows } from "./row.ts";

/** What a restart of the Nomad client does. */
export const restartRows: Rows = {
  "allocations that survive a restart of the Nomad client": (contestant) => survivors(contestant, [macvlan, bridge], 3),
  // A bridge without a gateway has the lowest MAC of its ports, and the bridge plugin's CHECK compares it with the MAC at
  // ADD. Normally chance decides whether it changes when containers come and go. Here a port with a lower MAC is added.
  "the same on a bridge without a gateway, after a port was added": (contestant) =>
    survivors(contestant, [macvlan, layer2], 5, joinLayer2),
};

async function survivors(
  contestant: Contestant,
  creators: Creators,
  count: number,
  onceRunning: (lab: Lab) => Promise<void> = async () => {},
): Promise<Cell> {
  const list = contestant.list(creators);
  await using nomad = await NomadLab.start({
    networks: [list],
    plugins: comparedPlugins,
    cniPath: contestant.pluginPath,
    programs: contestant.programs,
    prepare: contestant.install,
  });
  await nomad.run(jobOf({ network: `cni/${list.name}`, count }));
  await onceRunning(nomad.lab);
  const before = await nomad.survey("job");
  await nomad.restartClient();
  await nomad.untilLogged(count, isDealtWith);
  const after = await nomad.survey("job");
  const alive = before.filter((state) => survived(state, after));
  const errors = errorsOf((await nomad.logLines()).filter(isFailedCheck));
  return { words: `${alive.length} of ${count}`, notes: [...new Set(errors.map(quoted))].slice(0, 1) };
}
