import { CniError } from "./errors.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import { portsKeys } from "./options.ts";
import { configurationProblem, resultShapeProblem, wrapperProblem } from "./problem.ts";
import type { CniResult } from "./result.ts";
import type { WrapperConfiguration } from "./schema.ts";
import { logKeys, wrapperKeys } from "./shapes.ts";
import { nearest } from "./spelling.ts";
import type { Variables, Verb } from "./variables.ts";

/** A plugin configuration as it came on stdin (SPEC.md, section 1), with the keys that a wrapper looks at. */
export interface PluginConfiguration extends JsonObject {
  readonly cniVersion?: string;
  readonly name: string;
  readonly prevResult?: JsonObject | null;
}

/** One call of a wrapper by a runtime, parsed. */
export interface Request {
  readonly command: ConfiguredVerb;
  readonly variables: Variables;
  readonly configuration: PluginConfiguration;
  readonly wrapper: WrapperConfiguration;
  /** The keys under `wrapper` that DEL and STATUS do without, because their values are wrong. */
  readonly unusable: readonly string[];
  /** What was wrong and let pass, because what is there must be removable. */
  readonly warnings: readonly string[];
}

/** The verbs that come with a plugin configuration. */
export type ConfiguredVerb = Exclude<Verb, "VERSION">;

/** Verbs that a wrapper's own failure must not stop: what is there must be removable, and a failing STATUS may skip DEL. */
export const lenientVerbs: readonly ConfiguredVerb[] = ["DEL", "STATUS"];

/** The JSON object that is on stdin, undefined being no UTF-8; code 6 if there is none. */
export function decodeConfiguration(stdin: string | undefined): JsonObject {
  const value = stdin === undefined ? undecodable("it is not valid UTF-8") : parseJson(stdin);
  return isJsonObject(value) ? value : undecodable("it is not a JSON object");
}

/** Parses the plugin configuration of a call; code 7 if a key has a wrong value. */
export function parseRequest(command: ConfiguredVerb, variables: Variables, decoded: JsonObject): Request {
  const configuration = parseConfiguration(decoded);
  const block = configuration.wrapper ?? undefined;
  const parsed = block === undefined ? { wrapper: {}, unusable: [], warnings: [] } : parseWrapper(command, block);
  return { command, variables, configuration, ...parsed };
}

function parseWrapper(command: ConfiguredVerb, block: unknown): Pick<Request, "wrapper" | "unusable" | "warnings"> {
  const problem = wrapperProblem(block);
  if (problem !== undefined) return withoutUnusable(command, block, problem);
  const wrapper = block as WrapperConfiguration;
  const unknown = [
    ...unknownIn(wrapper, wrapperKeys, "wrapper"),
    ...unknownIn(wrapper.log ?? {}, logKeys, "wrapper.log"),
    ...unknownIn(wrapper.ports ?? {}, portsKeys, "wrapper.ports"),
  ];
  if (unknown[0] && !lenientVerbs.includes(command)) throw unknown[0];
  return { wrapper, unusable: [], warnings: unknown.map(({ message }) => message) };
}

/** The block without the keys that have a wrong value, on the verbs that must not fail for one; code 7 on the others. */
function withoutUnusable(command: ConfiguredVerb, block: unknown, problem: string): ReturnType<typeof parseWrapper> {
  if (!lenientVerbs.includes(command)) throw new CniError("invalidConfiguration", problem);
  const entries = isJsonObject(block) ? Object.entries(block) : [];
  const problems = entries.map(([key, value]) => [key, wrapperProblem({ [key]: value })] as const);
  const unusable = problems.filter(([, found]) => found !== undefined).map(([key]) => key);
  const rest = Object.fromEntries(entries.filter(([key]) => !unusable.includes(key)));
  const { wrapper, warnings } = parseWrapper(command, rest);
  const words = isJsonObject(block)
    ? problems.map(([, found]) => found).filter((found) => found !== undefined)
    : [problem];
  return { wrapper, unusable, warnings: [...words.map((found) => `wrong value ignored: ${found}`), ...warnings] };
}

function parseConfiguration(decoded: JsonObject): PluginConfiguration {
  const problem = configurationProblem(decoded);
  if (problem !== undefined) throw new CniError("invalidConfiguration", problem);
  return decoded as unknown as PluginConfiguration;
}

function parseJson(stdin: string): unknown {
  if (stdin.trim() === "") return undecodable("it is empty");
  try {
    return JSON.parse(stdin);
  } catch (error) {
    // Not in the engine's words: each has its own.
    return undecodable(error instanceof RangeError ? "it is nested too deeply" : "it is not JSON");
  }
}

function undecodable(what: string): never {
  throw new CniError("undecodableInput", "", what);
}

function unknownIn(block: object, known: readonly string[], path: string): CniError[] {
  const unknown = Object.keys(block).filter((key) => !known.includes(key));
  return unknown.map((key) => {
    const meant = `Did you mean ${path}.${nearest(key, known)}? The keys are ${known.join(", ")}`;
    return new CniError("unknownWrapperKey", `${path}.${key}`, meant);
  });
}

/** What is wrong with a result: its shape, or an address whose `interface` is outside the list; nothing if it is right. */
export function resultProblem(result: unknown, root: string): string | undefined {
  return resultShapeProblem(result, root) ?? indexProblem(result as CniResult, root);
}

/** Which address of a result has an `interface` outside the list; nothing if none has. */
export function indexProblem({ interfaces, ips }: CniResult, root: string): string | undefined {
  const count = interfaces?.length ?? 0;
  const outside = (ips ?? []).findIndex((ip) => typeof ip.interface === "number" && ip.interface >= count);
  return outside < 0 ? undefined : `${root}.ips[${outside}].interface is outside the list of ${count} interfaces`;
}
