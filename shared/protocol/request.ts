import { CniError } from "./errors.ts";
import { hasTooManyValues, isJsonObject, type JsonObject, tooManyValues } from "./json.ts";
import { interfaceNameProblem, networkNameProblem } from "./names.ts";
import type { CniResult } from "./result.ts";
import {
  blockShape,
  configurationShape,
  innerKeys,
  problemIn,
  resultShape,
  type WrapperConfiguration,
  wrapperKeys,
} from "./shapes.ts";
import { editDistance, nearest } from "./spelling.ts";

/** A plugin configuration from stdin (SPEC.md, section 1), with the keys that a wrapper reads. */
export interface PluginConfiguration extends JsonObject {
  readonly cniVersion?: string;
  readonly name: string;
  readonly prevResult?: JsonObject | null;
}

/** One call by a runtime, parsed. */
export interface Request {
  readonly command: ConfiguredVerb;
  readonly variables: Variables;
  readonly configuration: PluginConfiguration;
  readonly wrapper: WrapperConfiguration;
  /** Keys under `wrapper` with invalid values, which DEL and STATUS ignore. */
  readonly unusable: readonly string[];
  /** Faults that do not fail the call, because a container must always be removable. */
  readonly warnings: readonly string[];
}

/** The verbs that come with a plugin configuration. */
export type ConfiguredVerb = Exclude<Verb, "VERSION">;

/** Verbs that an error of the wrapper must not stop: an attachment must stay removable, and if STATUS fails, DEL is skipped. */
export const lenientVerbs: readonly ConfiguredVerb[] = ["DEL", "STATUS"];

/** Decodes the JSON object on stdin; `stdin` is undefined if it is not UTF-8. Code 6 if there is no JSON object or no readable version. */
export function decodeConfiguration(command: ConfiguredVerb, stdin: string | undefined): JsonObject {
  if (stdin === undefined) return undecodable("it is not valid UTF-8");
  const value = parseJson(stdin, lenientVerbs.includes(command));
  if (!isJsonObject(value)) return undecodable("it is not a JSON object");
  const { cniVersion = "" } = value;
  if (typeof cniVersion === "string" || cniVersion === null) return value;
  return undecodable("cniVersion must be a string");
}

/** Parses the plugin configuration of a call. Code 7 if a key has an invalid value, 6 for a name that a plugin in Go cannot decode. */
export function parseRequest(command: ConfiguredVerb, variables: Variables, decoded: JsonObject): Request {
  if (typeof (decoded.name ?? "") !== "string") return undecodable("name must be a string");
  if (lenientVerbs.includes(command) && !isPlain(decoded.prevResult)) {
    const { prevResult: _, ...rest } = decoded;
    return withoutPrevResult(parseRequest(command, variables, rest), notPlain);
  }
  const problem = problemIn(configurationShape, decoded, "");
  if (problem !== undefined) throw new CniError("invalidConfiguration", problem);
  const configuration = decoded as unknown as PluginConfiguration;
  const block = decoded.wrapper ?? undefined;
  return { command, variables, configuration, ...(block === undefined ? noBlock : parseWrapper(command, block)) };
}

const noBlock = { wrapper: {}, unusable: [], warnings: [] };

const notPlain = "it is not an object, has too many values or levels, or a number like 1e400";

/** Returns the request without its prevResult, with a warning that says why. */
export function withoutPrevResult({ configuration, warnings, ...rest }: Request, why: string): Request {
  const { prevResult: _, ...others } = configuration;
  return { ...rest, configuration: others, warnings: [`prevResult is ignored: ${why}`, ...warnings] };
}

function parseWrapper(command: ConfiguredVerb, block: unknown): Pick<Request, "wrapper" | "unusable" | "warnings"> {
  const problem = problemIn(blockShape, block, "wrapper");
  if (problem !== undefined) return withoutUnusable(command, block, problem);
  const wrapper = block as WrapperConfiguration;
  const unknown = unknownIn(wrapper, wrapperKeys, "wrapper");
  for (const key of ["log", "slaac", "ports"] as const)
    if (wrapper[key]) unknown.push(...unknownIn(wrapper[key], innerKeys[key], `wrapper.${key}`));
  if (unknown[0] && !lenientVerbs.includes(command)) throw unknown[0];
  return { wrapper, unusable: [], warnings: unknown.map(({ message }) => message) };
}

/** Parses the block without its invalid keys on the lenient verbs; code 7 on the others. */
function withoutUnusable(command: ConfiguredVerb, block: unknown, problem: string): ReturnType<typeof parseWrapper> {
  if (!lenientVerbs.includes(command)) throw new CniError("invalidConfiguration", problem);
  const entries = isJsonObject(block) ? Object.entries(block) : [];
  const problems = entries.map(([key, value]) => [key, problemIn(blockShape, { [key]: value }, "wrapper")] as const);
  const unusable = problems.filter(([, found]) => found !== undefined).map(([key]) => key);
  const rest = Object.fromEntries(entries.filter(([key]) => !unusable.includes(key)));
  const { wrapper, warnings } = parseWrapper(command, rest);
  const words = isJsonObject(block)
    ? problems.map(([, found]) => found).filter((found) => found !== undefined)
    : [problem];
  return { wrapper, unusable, warnings: [...words.map((found) => `wrong value ignored: ${found}`), ...warnings] };
}

function parseJson(stdin: string, isLenient: boolean): unknown {
  if (stdin.trim() === "") return undecodable("it is empty");
  const isTooLarge = hasTooManyValues(stdin);
  try {
    if (!isTooLarge) return JSON.parse(stdin);
  } catch (error) {
    // Each engine words its own errors differently, so they are not quoted.
    if (error instanceof SyntaxError) return undecodable("it is not JSON");
    // The slim flavor's engine has no memory.
    if (!(error instanceof RangeError)) throw error;
  }
  const rest = isLenient ? textWithoutPrevResult(stdin) : stdin;
  return rest === stdin ? undecodable(isTooLarge ? tooManyValues : "it is nested too deeply") : parseJson(rest, false);
}

function undecodable(what: string): never {
  throw new CniError("undecodableInput", "", what);
}

/** How many unknown keys are reported, and how much of each. Finding the nearest known key takes long for a long one. */
const [mostReported, longestReported] = [20, 64];

function unknownIn(block: object, known: readonly string[], path: string): CniError[] {
  const unknown = Object.keys(block).filter((key) => !known.includes(key));
  return unknown.slice(0, mostReported).map((whole) => {
    const key = whole.length > longestReported ? `${whole.slice(0, longestReported)}…` : whole;
    const meant = `Did you mean ${path}.${nearest(key, known)}? The keys are ${known.join(", ")}`;
    return new CniError("unknownWrapperKey", `${path}.${key}`, meant);
  });
}

/** Says what is wrong with a result: its shape, or an `interface` outside the list; undefined if it is valid. */
export function resultProblem(result: unknown, root: string): string | undefined {
  return problemIn(resultShape, result, root) ?? indexProblem(result as CniResult, root);
}

/** Says which address of a result has an `interface` outside the list; undefined if none has. */
export function indexProblem({ interfaces, ips }: CniResult, root: string): string | undefined {
  const count = interfaces?.length ?? 0;
  const outside = (ips ?? []).findIndex((ip) => typeof ip.interface === "number" && ip.interface >= count);
  return outside < 0 ? undefined : `${root}.ips[${outside}].interface is outside the list of ${count} interfaces`;
}

/** The keys of the wrapper block, in lower case, that no wrapped plugin has. CNI itself has `args`. */
const ownKeys = new Map(wrapperKeys.filter((key) => key !== "args").map((key) => [key.toLowerCase(), key]));

const block = "wrapper";

/**
 * Returns an error for each key of the wrapper that is in the wrong place, where it would be ignored. A plugin that the
 * wrapper does not know may have its own key with a name like `ifName`.
 */
export function misplacedKeys(configuration: JsonObject, isKnownPlugin: boolean): CniError[] {
  const found: CniError[] = [];
  let ipam: unknown;
  for (const key in configuration) {
    if (key === block) continue;
    const lower = key.toLowerCase();
    const own = isKnownPlugin ? ownKeys.get(lower) : undefined;
    if (lower === "ipam") ipam = configuration[key];
    else if (own !== undefined) found.push(misplaced(key, `Write "wrapper": { "${own}": ... }`));
    else if (isNearlyBlock(lower)) found.push(misplaced(key, 'The block is called "wrapper"'));
  }
  if (!isJsonObject(ipam)) return found;
  for (const key in ipam)
    if (key.toLowerCase() === block) found.push(misplaced(`ipam.${key}`, 'Move the block out of "ipam"'));
  return found;
}

/** Whether a key in lower case is `wrapper` with at most one letter added, removed or changed. */
function isNearlyBlock(lower: string): boolean {
  // One edit leaves the beginning or the end as it is. That is enough for nearly every key of a call.
  return (lower.startsWith("wra") || lower.endsWith("per")) && editDistance(lower, block) <= 1;
}

function misplaced(key: string, what: string): CniError {
  return new CniError("misplacedKey", key, what);
}

/** The verbs of the specification (SPEC.md, section 2 "CNI operations"). */
export type Verb = "ADD" | "DEL" | "CHECK" | "GC" | "STATUS" | "VERSION";

/** The CNI variables of one call; a variable that the runtime does not set is empty. */
export interface Variables {
  readonly command: Verb;
  readonly containerId: string;
  readonly netns: string;
  readonly ifName: string;
  readonly args: string;
  readonly path: string;
}

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that each verb requires (SPEC.md, section 2 "CNI operations"). */
const requiredVariables: Readonly<Record<Verb, readonly string[]>> = {
  ADD: ["CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME"],
  DEL: ["CNI_CONTAINERID", "CNI_IFNAME"],
  CHECK: ["CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME"],
  GC: ["CNI_PATH"],
  STATUS: [],
  VERSION: [],
};

/** Each says what is wrong with the value of a variable. */
const rules: Readonly<Record<string, (value: string) => string | undefined>> = {
  CNI_CONTAINERID: networkNameProblem,
  CNI_IFNAME: interfaceNameProblem,
};

/** Reads the CNI variables of a call. Code 4 lists all missing ones at once; an empty variable counts as missing. */
export function parseVariables(env: Environment): Variables {
  const command = env.CNI_COMMAND ?? "";
  if (!Object.hasOwn(requiredVariables, command)) throw new CniError("unknownCommand", command);
  const required = requiredVariables[command as Verb];
  const missing: string[] = [];
  for (const name of required) if (!env[name]) missing.push(name);
  if (missing.length > 0) throw new CniError("missingVariables", missing.join(","), `CNI_COMMAND is ${command}`);
  for (const name of required) {
    const value = env[name] ?? "";
    const problem = rules[name]?.(value);
    if (problem !== undefined) throw new CniError("invalidVariable", name, `${JSON.stringify(value)} ${problem}`);
  }
  return {
    command: command as Verb,
    containerId: env.CNI_CONTAINERID ?? "",
    netns: env.CNI_NETNS ?? "",
    ifName: env.CNI_IFNAME ?? "",
    args: env.CNI_ARGS ?? "",
    path: env.CNI_PATH ?? "",
  };
}

/** How many levels of brackets are plain. An engine writes at least a thousand, and a valid result has five. */
const levelsLimit = 500;

/** Whether a prevResult is missing, or an object that can be written as JSON again for any plugin. */
export function isPlain(prevResult: unknown): boolean {
  if (prevResult === undefined || prevResult === null) return true;
  if (!isJsonObject(prevResult)) return false;
  // Without recursion, because it would end where the stack does.
  let level: object[] = [prevResult];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === levelsLimit) return false;
    const inner: object[] = [];
    for (const one of level) {
      for (const part of Object.values(one)) {
        // Most are texts. JSON.parse makes infinity of a number like 1e400.
        if (typeof part === "string") continue;
        if (typeof part === "object" && part !== null) inner.push(part);
        else if (part === Number.POSITIVE_INFINITY || part === Number.NEGATIVE_INFINITY) return false;
      }
    }
    level = inner;
  }
  return true;
}

/** Returns the text of a configuration with 0 as prevResult if it has one. The engine need not be able to parse it. */
function textWithoutPrevResult(text: string): string {
  let rest = "";
  let [from, level] = [0, 0];
  /** Where the text began in which the next sign is. */
  let opened: number | undefined;
  let lastText: string | undefined;
  /** The value of the object's last key. */
  let value: { readonly key: string | undefined; readonly start: number } | undefined;
  const signs = /[\\"[\]{}:,]/g;
  for (let found = signs.exec(text); found !== null; found = signs.exec(text)) {
    const { 0: sign, index } = found;
    if (opened !== undefined) {
      if (sign === "\\") signs.lastIndex++;
      if (sign !== '"') continue;
      lastText = text.slice(opened, index);
      opened = undefined;
    } else if (sign === '"') opened = index + 1;
    else if (sign === "[" || sign === "{") level++;
    else if (sign === ":") {
      if (level === 1) value = { key: lastText, start: index + 1 };
    } else {
      if (level === 1 && value?.key === "prevResult") {
        rest += `${text.slice(from, value.start)}0`;
        from = index;
      }
      if (sign !== ",") level--;
    }
  }
  return rest + text.slice(from);
}
