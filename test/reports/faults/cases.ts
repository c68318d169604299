import type { Case, Next } from "./case.ts";
import type { Target, Verb } from "./chain.ts";
import { errorsOf, type Fault, killPoints, type SystemCall } from "./system-calls.ts";

/** How many cases a run makes. */
export interface Extent {
  /** Every fault at every call, and every way in which the runtime goes on. */
  readonly isWhole: boolean;
  readonly faults: readonly Fault[];
}

/** A kill between two calls that change nothing leaves the same state as one before them, so only each 10th of these runs. */
const everyOtherKill = 10;

/** Returns the cases of one wrapper's verb: kills where the state changes, and at each call the errors that it can return. */
export function casesOf(verb: Verb, target: Target, calls: readonly SystemCall[], extent: Extent): Case[] {
  const { isWhole, faults } = extent;
  const kills = isWhole ? calls : killPoints(calls, everyOtherKill);
  const chosen = calls.flatMap((call) =>
    [
      ...(kills.includes(call) ? (["KILL"] as const) : []),
      ...new Set([...(isWhole ? errors : []), ...errorsOf(call)]),
    ].map((fault) => ({ call, fault })),
  );
  return chosen
    .filter(({ fault }) => faults.includes(fault))
    .flatMap(({ call, fault }) => nextsOf(verb, fault, isWhole).map((next) => ({ verb, target, call, fault, next })));
}

/** Returns each `every`th case of each verb and fault, the first one included. */
export function sampleOf(cases: readonly Case[], every: number): Case[] {
  return [...Map.groupBy(cases, kindOf).values()].flatMap((own) => own.filter((_, index) => index % every === 0));
}

/** Returns the verb and the fault of a case: `ADD KILL`. */
export function kindOf({ verb, fault }: Case): string {
  return `${verb} ${fault}`;
}

const errors = ["ENOSPC", "EIO", "EMFILE", "EINTR", "ENOMEM"] as const;

/** After a fault in ADD, the runtime tries again, runs DEL, or ends as well: then the container goes, and GC finds it. */
function nextsOf(verb: Verb, fault: Fault, isWhole: boolean): readonly Next[] {
  if (verb !== "ADD") return ["DEL"];
  return fault === "KILL" || isWhole ? ["ADD", "DEL", "GC"] : ["ADD"];
}
