import { jobOf } from "../../nomad/jobs.ts";
import { errorsOf, isDealtWith, isFailedAdd, isFailedCheck, isFailedPrerun, isPassedCheck } from "../../nomad/log.ts";
import { NomadLab } from "../../nomad/nomad-lab.ts";
import { isSound, survived } from "../../nomad/survey.ts";
import { until } from "../../nomad/until.ts";
import type { PluginVersion } from "../../support/go.ts";
import { leftovers } from "../../support/leftovers.ts";
import type { NomadVersion } from "../../support/nomad.ts";
import { missing } from "./by-verbs.ts";
import { follow, type StepResult } from "./course.ts";
import type { Chain } from "./places.ts";

/**
 * Follows an allocation through its life, with two client restarts: it survives the first, and the second finds a
 * fault.
 */
export async function followNomad(plugins: PluginVersion, chain: Chain, version?: NomadVersion): Promise<StepResult[]> {
  await using nomad = await NomadLab.start({
    networks: [chain.list],
    plugins,
    patience: 300,
    ...(version && { version }),
  });
  return await follow([
    { name: "start", run: () => start(nomad, chain) },
    { name: "restart", needs: "start", run: () => restart(nomad) },
    { name: "fault seen", needs: "restart", run: () => seeFault(nomad, chain) },
    { name: "stop", needs: "start", run: () => nomad.stop("job") },
    { name: "nothing left", needs: "stop", run: () => nothingLeft(nomad, chain) },
  ]);
}

async function start(nomad: NomadLab, { list, interfaces }: Chain): Promise<void> {
  await nomad.register(jobOf({ network: `cni/${list.name}` }));
  const status = await until("the allocation runs, or failed", async () => {
    const [allocation] = await nomad.allocations("job");
    return allocation?.ClientStatus !== "pending" && allocation?.ClientStatus;
  });
  if (status !== "running") throw new Error(await firstError(nomad));
  const [state] = await nomad.survey("job");
  if (!state || !isSound(state)) throw new Error(`it runs, but has no working network: ${JSON.stringify(state)}`);
  const names = Object.keys(state.addresses).sort().join();
  if (names !== interfaces.join()) throw new Error(`it runs with the interfaces ${names}`);
}

async function firstError(nomad: NomadLab): Promise<string> {
  const [error] = errorsOf((await nomad.logLines()).filter((line) => isFailedAdd(line) || isFailedPrerun(line)));
  return error ?? "no error in the client's log";
}

/** The same task since the same time, in the same namespace, with the same addresses and traffic. */
async function restart(nomad: NomadLab): Promise<void> {
  const [before] = await nomad.survey("job");
  if (!before) throw new Error("no running allocation to look at");
  await nomad.restartClient();
  await nomad.untilLogged(1, isDealtWith);
  const after = await nomad.survey("job");
  if (survived(before, after)) return;
  const [failure] = errorsOf((await nomad.logLines()).filter(isFailedCheck));
  throw new Error(failure ? `lost: ${failure}` : `it was ${JSON.stringify(before)} and is ${JSON.stringify(after)}`);
}

async function seeFault(nomad: NomadLab, { fault }: Chain): Promise<void> {
  const [state] = await nomad.survey("job");
  const container = { name: state?.id ?? "", netns: `/run/netns/${state?.id}` };
  await nomad.restartClient(async () => {
    await nomad.lab.ip(container, "address", "delete", fault.address, "dev", fault.ifName);
  });
  await nomad.untilLogged(1, (line) => isPassedCheck(line) || isFailedCheck(line));
  const [failure] = errorsOf((await nomad.logLines()).filter(isFailedCheck));
  if (failure === undefined) throw new Error("CHECK passed without the address");
  if (!failure.includes(missing(fault))) throw new Error(`CHECK failed, but not for the address: ${failure}`);
}

async function nothingLeft({ lab }: NomadLab, { staying }: Chain): Promise<void> {
  const left = await leftovers(lab, staying);
  if (left.length > 0) throw new Error(`left: ${left.join(", ")}`);
}
