import { isDeepStrictEqual } from "node:util";
import type { Outcome } from "../../../support/lab.ts";
import { allowances } from "../deviations.ts";
import { everyVersion } from "../versions.ts";
import type { GeneratedCall, GeneratedLife } from "./lives.ts";
import type { Told } from "./tell.ts";

/** One call of a life, with the outcomes of the plain plugin and of its wrapper. */
export interface ComparedCall {
  readonly life: GeneratedLife;
  readonly call: GeneratedCall;
  readonly plain: Outcome;
  readonly wrapped: Outcome;
}

interface ListedDifference {
  readonly name: string;
  readonly reason: string;
  readonly explains: (call: ComparedCall) => boolean;
}

/** All differences that a call may show. The state of the host may never differ. */
export const listedDifferences: readonly ListedDifference[] = [
  {
    name: "own words",
    reason: "the wrapper itself refuses a malformed call, with the plugin's code",
    explains: ({ life, call, plain, wrapped }) =>
      isMalformed(life, call) && bothFail(plain, wrapped) && codeOf(plain) === codeOf(wrapped),
  },
  {
    name: "wrong name",
    reason: "the wrapper refuses a wrong name; the plain plugin panics, or first refuses CHECK in this version",
    explains: ({ life: { config }, plain, wrapped }) =>
      !isName(config.name) && failsWith(wrapped, 7) && (isPanic(plain) || failsWith(plain, 1)),
  },
  {
    name: "index",
    reason: "an address of prevResult without an interface has one after a chained plugin's ADD",
    explains: ({ call: { verb, recall }, plain, wrapped }) =>
      verb === "ADD" && recall === "ips without interface" && isDeepStrictEqual(plain, withoutIndexes(wrapped)),
  },
  {
    name: "own error",
    reason: "the wrapper itself refuses a prevResult without the interface, or with a wrong index",
    explains: ({ call, plain, wrapped }) =>
      call.verb === "CHECK" && faultyRecalls.includes(call.recall) && allowances["own error"].allows(plain, wrapped),
  },
  {
    name: "floating MAC",
    reason: "CHECK of a bridge whose MAC follows its ports fails in the plain plugin",
    explains: ({ call, plain, wrapped }) => call.verb === "CHECK" && allowances["floating MAC"].allows(plain, wrapped),
  },
];

const faultyRecalls: readonly GeneratedCall["recall"][] = [
  "another name",
  "another sandbox",
  "an index that is too high",
  "no interfaces",
];

/** The verdict on one call: the name of a listed difference, or one of the other two. */
export type Verdict = "same" | "DIFFERENT" | (string & {});

/** Compares the ends of one call. */
export function verdictOn(life: GeneratedLife, call: GeneratedCall, plain: Told, wrapped: Told): Verdict {
  if (!isDeepStrictEqual(plain.host, wrapped.host)) return "DIFFERENT";
  if (isDeepStrictEqual(plain.outcome, wrapped.outcome)) return "same";
  const compared = { life, call, plain: plain.outcome, wrapped: wrapped.outcome };
  return listedDifferences.find(({ explains }) => explains(compared))?.name ?? "DIFFERENT";
}

/** Whether a call is wrong for every plugin: its variables, its stdin, the version or the network's name. */
function isMalformed({ cniVersion, config: { name } }: GeneratedLife, { variables, cut }: GeneratedCall): boolean {
  const isKnown = everyVersion.some((version) => version === cniVersion);
  return !isKnown || !isName(name) || Object.keys(variables).length > 0 || cut !== undefined;
}

function isName(name: unknown): boolean {
  return typeof name === "string" && /^[A-Za-z0-9][\w.-]*$/.test(name);
}

function isPanic({ exitCode, stderr }: Outcome): boolean {
  return exitCode === 2 && stderr.startsWith("panic: ");
}

function failsWith(outcome: Outcome, code: number): boolean {
  return outcome.exitCode === 1 && codeOf(outcome) === code;
}

function withoutIndexes(outcome: Outcome): Outcome {
  return { ...outcome, stdout: outcome.stdout.replaceAll(/,\s*"interface": \d+/g, "") };
}

function bothFail(...outcomes: readonly Outcome[]): boolean {
  return outcomes.every(({ exitCode }) => exitCode === 1);
}

function codeOf({ stdout }: Outcome): unknown {
  return JSON.parse(stdout).code;
}
