import { isJsonObject, type JsonObject } from "./json.ts";

/** `wrapper.args`: which requests of CNI_ARGS a delegate gets. An object maps the delegate's keys to the runtime's keys. */
export type ArgsOption = "keep" | Readonly<Record<string, string>>;

/** One entry of `wrapper.ports`: a container port, or a range such as `8000-8999`. */
export type PortEntry = number | string;

/** `wrapper.ports`: the container ports that a delegate publishes (`only`), or those that it does not (`except`). */
export interface PortsOption {
  readonly only?: readonly PortEntry[];
  readonly except?: readonly PortEntry[];
}

/** `wrapper.slaac`: how long ADD waits for an IPv6 address from a router, and whether it fails without one. */
export interface SlaacOption {
  /** The default is `5s`. */
  readonly wait?: string | undefined;
  readonly required?: boolean | undefined;
}

const highestPort = 65535;
const longestWait = 30;

/** Says what is wrong with `wrapper.slaac.wait`; undefined if it is valid. */
export function waitProblem(text: string): string | undefined {
  const [, seconds] = /^(\d{1,2})s$/.exec(text) ?? [];
  const isInside = Number(seconds) >= 1 && Number(seconds) <= longestWait;
  return isInside ? undefined : `must be a time from "1s" to "${longestWait}s"`;
}

/** Says what is wrong with `wrapper.args`; undefined if it is valid. */
export function argsProblem(value: unknown): string | undefined {
  if (value === "keep") return undefined;
  if (!isJsonObject(value)) return 'must be "keep" or an object such as { "IP": "ETH1_IP" }';
  const wrong = Object.entries(value).find(([key, from]) => !isArgsKey(key) || !isArgsKey(from));
  return (
    wrong && `must map one key of CNI_ARGS to another, not ${JSON.stringify(wrong[0])} to ${JSON.stringify(wrong[1])}`
  );
}

/** Says what is wrong with `wrapper.ports`; undefined if it is valid. Unknown keys are checked later. */
export function portsProblem(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'must be an object with "only" or "except"';
  const given = ["only", "except"].filter((key) => value[key] !== undefined);
  if (given.length > 1) return 'must have "only" or "except", not both';
  const [key] = given;
  if (key !== undefined) return listProblem(key, value);
  return Object.keys(value).length > 0 ? undefined : 'must have "only" or "except"';
}

/** Returns the first and the last port of an entry of `wrapper.ports`; undefined if it is not a port or a range. */
export function portRange(entry: unknown): readonly [number, number] | undefined {
  if (typeof entry !== "number" && typeof entry !== "string") return undefined;
  const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(String(entry)) ?? [];
  return first === undefined ? undefined : [Number(first), Number(last)];
}

/** Whether a value is valid for `wrapper.args`. */
export const isArgs = (value: unknown): boolean => argsProblem(value) === undefined;
/** Whether a value is valid for `wrapper.ports`. */
export const isPorts = (value: unknown): boolean => portsProblem(value) === undefined;

function isArgsKey(key: unknown): boolean {
  return typeof key === "string" && /^[^=;\0]+$/.test(key);
}

function listProblem(key: string, { [key]: list }: JsonObject): string | undefined {
  if (!Array.isArray(list)) return `must have a list of ports under "${key}"`;
  for (const entry of list) {
    const problem = entryProblem(entry);
    if (problem !== undefined) return `has ${JSON.stringify(entry)} under "${key}", which ${problem}`;
  }
  return undefined;
}

function entryProblem(entry: unknown): string | undefined {
  const range = portRange(entry);
  if (range === undefined) return 'is not a port or a range such as "8000-8999"';
  const [first, last] = range;
  if (first < 1 || last < 1 || first > highestPort || last > highestPort) return `is outside 1 to ${highestPort}`;
  return first > last ? "begins with the higher port" : undefined;
}
