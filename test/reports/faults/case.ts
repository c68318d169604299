import type { Outcome } from "../../support/lab.ts";
import { must } from "../../support/must.ts";
import type { Chain, Target, Verb } from "./chain.ts";
import { isUnbegunJournal, type State, settledDifference, stateOf } from "./state.ts";
import {
  callsOf,
  deathIn,
  type Fault,
  flagsFor,
  isHung,
  isInjected,
  isNodesOwn,
  ownersIn,
  type SystemCall,
} from "./system-calls.ts";

/** The runtime's next call after a fault in ADD: it tries again, it gives up, or it forgets the container and runs GC. */
export type Next = "ADD" | "DEL" | "GC";

/** One fault at one system call of one wrapper. */
export interface Case {
  readonly verb: Verb;
  readonly target: Target;
  readonly call: SystemCall;
  readonly fault: Fault;
  readonly next: Next;
}

/**
 * `isReached` says whether the call happened, and `isHung` whether the wrapper did not end by itself; `death` is the signal with
 * which Node ended itself; `left` has what differs from the state before, and failed calls.
 */
export interface Verdict {
  readonly isReached: boolean;
  readonly isHung: boolean;
  readonly death?: string | undefined;
  readonly left: readonly string[];
}

/** The state of a host on which only the neighbour is attached. */
export interface Before {
  readonly alone: State;
}

const isNode = process.env.CNI_WRAPPERS_FLAVOR === "node";

/** Nomad tries ADD three times. */
const tries = 3;

/** The state of the host and of the containers that exist. */
export function now({ lab, neighbour, victim }: Chain): Promise<State> {
  return stateOf(lab, neighbour, victim);
}

/** Runs a verb of one wrapper with a trace, and returns its system calls. The host is as before. */
export async function tracedCalls(chain: Chain, verb: Verb, target: Target): Promise<SystemCall[]> {
  await prepare(chain, verb);
  await arm(chain, target, verb, "");
  must(await chain.call(verb, target), `${verb} of ${target} with strace`);
  const calls = callsOf(await chain.lab.readFile("/run/lab/trace"));
  if (verb === "GC") await chain.renewVictim();
  if (verb !== "STATUS" && verb !== "VERSION") must(await chain.call("DEL"), "DEL");
  return calls;
}

/** Runs a case. If it left something, the host is not usable any more. */
export async function runCase(chain: Chain, each: Case, before: Before): Promise<Verdict> {
  const { verb, target, call, fault } = each;
  const problems: string[] = [];
  await prepare(chain, verb);
  const attached = verb === "CHECK" ? await now(chain) : before.alone;
  await arm(chain, target, verb, flagsFor(call, fault));
  const linesBefore = await chain.logLines(verb);
  const first = await chain.call(verb, target);
  const trace = await chain.lab.readFile("/run/lab/trace");
  const expectPass = (outcome: Outcome, name: string) => {
    if (outcome.exitCode !== 0) problems.push(`${name} failed: ${(outcome.stderr || outcome.stdout).slice(0, 400)}`);
  };
  if (isHung(trace) && !isNodesOwn(trace)) problems.push(`${verb} did not end`);
  const death = deathIn(trace);
  // No JavaScript of the wrapper sends a signal: in its flavor Node ended itself. The runtime sees a failed call.
  if (death && !isNode) problems.push(`${verb} ended by ${death}, without an answer`);
  if (fault === "OWNER" && (await chain.logLines(verb)) - linesBefore >= ownersIn(trace)) {
    problems.push(`${verb} wrote a log through a link of another user`);
  }
  if (verb === "CHECK") problems.push(...(await settledDifference(attached, () => now(chain))));
  await goOn(chain, each, first, expectPass);
  const added = await settledDifference(before.alone, () => now(chain));
  // GC leaves a file that was made and not begun, because an ADD that still runs has one, too.
  const different = each.next === "GC" && fault === "KILL" ? added.filter((line) => !isUnbegunJournal(line)) : added;
  const left = [...problems, ...different];
  return { isReached: isInjected(trace, fault, call), isHung: isHung(trace), death, left };
}

type ExpectPass = (outcome: Outcome, name: string) => void;

/** Does what the runtime does next. Afterwards only the neighbour may be attached. */
async function goOn(chain: Chain, each: Case, first: Outcome, expectPass: ExpectPass): Promise<void> {
  switch (each.verb) {
    case "ADD":
      return await afterAdd(chain, each, first, expectPass);
    case "CHECK":
      expectPass(await chain.call("CHECK"), "CHECK again");
      return expectPass(await chain.call("DEL"), "DEL afterwards");
    case "DEL":
      return expectPass(await chain.call("DEL"), "DEL again");
    case "GC":
      expectPass(await chain.call("GC"), "GC again");
      return await chain.renewVictim();
    case "STATUS":
    case "VERSION":
      return expectPass(await chain.call(each.verb, each.target), `${each.verb} again`);
    default:
      return each.verb satisfies never;
  }
}

/** After an ADD that failed, the runtime tries again or gives up. An ADD that passed has attached the container. */
async function afterAdd(chain: Chain, { next }: Case, first: Outcome, expectPass: ExpectPass): Promise<void> {
  let last = first;
  if (next === "ADD") for (let time = 1; time < tries && last.exitCode !== 0; time++) last = await chain.call("ADD");
  if (next === "ADD") expectPass(last, `ADD, try ${tries}`);
  if (last.exitCode === 0) expectPass(await chain.call("CHECK"), "CHECK after ADD");
  if (next !== "GC") return expectPass(await chain.call("DEL"), "DEL afterwards");
  await chain.loseVictim();
  expectPass(await chain.call("GC"), "GC afterwards");
  await chain.renewVictim();
}

async function prepare(chain: Chain, verb: Verb): Promise<void> {
  if (!["CHECK", "DEL", "GC"].includes(verb)) return;
  must(await chain.call("ADD"), "ADD before the fault");
  if (verb === "GC") await chain.loseVictim();
}

async function arm({ lab }: Chain, target: Target, verb: Verb, flags: string): Promise<void> {
  await lab.writeFile("/run/lab/trace", "");
  await lab.writeFile(`/run/lab/fault-${target}-${verb}`, flags);
}
