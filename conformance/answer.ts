import { isDeepStrictEqual } from "node:util";
import type { Outcome } from "./calls.ts";
import { demand, NotRun, type SpecVersion } from "./specification.ts";

/** An interface, an address and a route of a result, as far as the checks read them. */
export interface Result {
  readonly cniVersion?: string;
  readonly interfaces?: readonly Interface[];
  readonly ips?: readonly Address[];
  readonly routes?: readonly Readonly<Record<string, unknown>>[];
  readonly dns?: object;
}

/** An interface of a result. */
export interface Interface {
  readonly name: string;
  readonly mac?: string;
  readonly mtu?: number;
  readonly sandbox?: string;
  readonly [key: string]: unknown;
}

/** An address of a result. */
export interface Address {
  readonly address: string;
  readonly version?: string;
  readonly interface?: number;
  readonly gateway?: string;
}

/** The answer of a plugin to one call. */
export interface Answer extends Outcome {
  /** stdout as a JSON object; undefined if it is none. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
  readonly version: SpecVersion;
}

/** The outcome of a call, with its stdout as JSON. */
export function answerOf(outcome: Outcome, version: SpecVersion): Answer {
  return { ...outcome, json: parsed(outcome.stdout), version };
}

function parsed(text: string): Answer["json"] {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Answer["json"]) : undefined;
  } catch {
    return undefined;
  }
}

/** The routes of a result. Without any, a case about them says nothing. */
export function routesOf({ routes = [] }: Result = {}): NonNullable<Result["routes"]> {
  if (routes.length === 0) throw new NotRun("the result of ADD has no routes. Add some to the configuration of IPAM");
  return routes;
}

/** Demands exit code 0. */
export function demandSuccess(answer: Answer, verb: string): void {
  demand(answer.exitCode === 0, `${verb} fails: ${shown(answer)}`);
}

/** Demands that the call fails. Error codes other than 1, 2, 3 and 11 have a meaning since version 1.0.0. */
export function demandError(answer: Answer, call: string, code?: number, word?: string): void {
  demand(answer.exitCode !== 0, `${call}: exit code 0`);
  if (code === undefined || (code > 3 && ["0.3.0", "0.3.1", "0.4.0"].includes(answer.version))) return;
  demand(answer.json?.code === code, `${call}: code ${answer.json?.code} instead of ${code}`);
  const words = `${answer.json?.msg} ${answer.json?.details}`;
  demand(word === undefined || words.includes(word), `${call}: the message does not name ${word}: ${words}`);
}

/** Demands equal values, and shows both if they differ. */
export function demandEqual(found: unknown, expected: unknown, what: string): void {
  const both = `${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`;
  demand(isDeepStrictEqual(found, expected), both);
}

function shown({ exitCode, stdout, stderr }: Answer): string {
  return `exit code ${exitCode}, ${(stdout || stderr).slice(0, 1000).trim().replaceAll(/\s+/g, " ")}`;
}
