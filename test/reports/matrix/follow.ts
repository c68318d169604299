import { jobOf } from "../../nomad/jobs.ts";
import { errorsOf, isDealtWith, isFailedAdd, isFailedCheck, isFailedPrerun, isPassedCheck } from "../../nomad/log.ts";
import { NomadLab } from "../../nomad/nomad-lab.ts";
import { isSound, survived } from "../../nomad/survey.ts";
import { until } from "../../nomad/until.ts";
import type { PluginVersion } from "../../support/go.ts";
import { Lab } from "../../support/lab.ts";
import { leftovers } from "../../support/leftovers.ts";
import { must } from "../../support/must.ts";
import type { NomadVersion } from "../../support/nomad.ts";
import type { Chain } from "./places.ts";

/** The steps of a chain in a cell: the verbs under go-cni and cnitool, an allocation's life under Nomad. */
export type StepName = "ADD" | "CHECK" | "fault seen" | "DEL" | "start" | "restart" | "stop" | "nothing left";

/** A step throws if it fails. */
interface Step {
  readonly name: StepName;
  /** The step is skipped unless this one passed. */
  readonly needs?: StepName;
  readonly run: () => Promise<unknown>;
}

/** The result of a step. Without an error it passed. */
export interface StepResult {
  readonly name: StepName;
  readonly error?: string;
}

/** Runs the steps in order. */
async function follow(steps: readonly Step[]): Promise<StepResult[]> {
  const results: StepResult[] = [];
  const hasPassed = (wanted: StepName) => results.some(({ name, error }) => name === wanted && error === undefined);
  for (const { name, needs, run } of steps) {
    if (needs && !hasPassed(needs)) continue;
    const error = await run().then(
      () => undefined,
      (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)),
    );
    results.push(error === undefined ? { name } : { name, error });
  }
  return results;
}

/** Takes a container through every verb, with a runtime that does nothing else. CHECK must report a removed address. */
export async function followVerbs(
  plugins: PluginVersion,
  runtime: "goCni" | "cnitool",
  chain: Chain,
): Promise<StepResult[]> {
  await using lab = await Lab.start({ plugins });
  const container = await lab.addContainer("c1");
  const { list, fault } = chain;
  const links = async () => (await lab.kernel.linkNames(container)).filter((name) => name !== "lo").sort();
  const add = async () => {
    must(await lab[runtime].add(list, container));
    const names = await links();
    if (names.join() !== chain.interfaces.join()) throw new Error(`ADD passed, and the container has ${names}`);
  };
  const seeFault = async () => {
    await lab.ip(container, "address", "delete", fault.address, "dev", fault.ifName);
    const { exitCode, stderr } = await lab[runtime].check(list, container);
    expectSeen(exitCode === 0 ? undefined : stderr, fault);
  };
  return await follow([
    { name: "ADD", run: add },
    { name: "CHECK", needs: "ADD", run: async () => must(await lab[runtime].check(list, container)) },
    { name: "fault seen", needs: "CHECK", run: seeFault },
    { name: "DEL", needs: "ADD", run: async () => must(await lab[runtime].del(list, container)) },
    { name: "nothing left", needs: "DEL", run: async () => expectNothing(lab, chain, await links()) },
  ]);
}

/** Expects the reference plugins' message about a missing address (pkg/ip/utils_linux.go, ValidateExpectedInterfaceIPs). */
function expectSeen(failure: string | undefined, { ifName, address }: Chain["fault"]): void {
  if (failure === undefined) throw new Error("CHECK passed without the address");
  if (!failure.includes(`Failed to match addr ${address} on interface ${ifName}`))
    throw new Error(`CHECK failed, but not for the address: ${failure}`);
}

async function expectNothing(lab: Lab, { staying }: Chain, links: readonly string[] = []): Promise<void> {
  const left = [...(await leftovers(lab, staying)), ...links.map((name) => `interface ${name}`)];
  if (left.length > 0) throw new Error(`left: ${left.join(", ")}`);
}

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
    { name: "nothing left", needs: "stop", run: () => expectNothing(nomad.lab, chain) },
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
  expectSeen(failure, fault);
}
