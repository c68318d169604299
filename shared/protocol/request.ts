import { CniError } from "./errors.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import { configurationProblem, logKeys, resultShapeProblem, wrapperKeys, wrapperProblem } from "./problem.ts";
import type { CniResult } from "./result.ts";
import type { WrapperConfiguration } from "./schema.ts";
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
  /** What was wrong and let pass, because what is there must be removable. */
  readonly warnings: readonly string[];
}

/** The verbs that come with a plugin configuration. */
export type ConfiguredVerb = Exclude<Verb, "VERSION">;

/** Verbs that a wrapper's own failure must not stop: what is there must be removable, and a failing STATUS may skip DEL. */
export const lenientVerbs: readonly ConfiguredVerb[] = ["DEL", "STATUS"];

/** Parses the plugin configuration of a call: code 6 if it is no JSON object, code 7 if a key has a wrong value. */
export function parseRequest(command: ConfiguredVerb, variables: Variables, stdin: string | undefined): Request {
  const configuration = parseConfiguration(stdin);
  const block = configuration.wrapper ?? undefined;
  const parsed = block === undefined ? { wrapper: {}, warnings: [] } : parseWrapper(command, block);
  return { command, variables, configuration, ...parsed };
}

function parseWrapper(command: ConfiguredVerb, block: unknown): Pick<Request, "wrapper" | "warnings"> {
  const problem = wrapperProblem(block);
  if (problem !== undefined) {
    if (command !== "STATUS") throw new CniError("invalidConfiguration", problem);
    return { wrapper: {}, warnings: [`invalid wrapper block left out: ${problem}`] };
  }
  const wrapper = block as WrapperConfiguration;
  const unknown = [
    ...unknownIn(wrapper, wrapperKeys, "wrapper"),
    ...unknownIn(wrapper.log ?? {}, logKeys, "wrapper.log"),
  ];
  if (unknown[0] && !lenientVerbs.includes(command)) throw unknown[0];
  return { wrapper, warnings: unknown.map(({ message }) => message) };
}

function parseConfiguration(stdin: string | undefined): PluginConfiguration {
  const value = stdin === undefined ? undecodable("it is not valid UTF-8") : parseJson(stdin);
  if (!isJsonObject(value)) return undecodable("it is no JSON object");
  const problem = configurationProblem(value);
  if (problem !== undefined) throw new CniError("invalidConfiguration", problem);
  return value as unknown as PluginConfiguration;
}

function parseJson(stdin: string): unknown {
  if (stdin.trim() === "") return undecodable("it is empty");
  try {
    return JSON.parse(stdin);
  } catch (error) {
    // Not in the engine's words: each has its own.
    return undecodable(error instanceof RangeError ? "it is nested too deeply" : "it is no JSON");
  }
}

function undecodable(what: string): never {
  throw new CniError("undecodableInput", "", what);
}

function unknownIn(block: object, known: readonly string[], path: string): CniError[] {
  const unknown = Object.keys(block).filter((key) => !known.includes(key));
  return unknown.map((key) => {
    const meant = `Did you mean ${path}.${nearest(key, known)}? Known are ${known.join(", ")}`;
    return new CniError("unknownWrapperKey", `${path}.${key}`, meant);
  });
}

/** What is wrong with a result: its shape, or an address whose `interface` is outside the list; nothing if it is right. */
export function resultProblem(result: unknown, root: string): string | undefined {
  const problem = resultShapeProblem(result, root);
  if (problem !== undefined) return problem;
  const { interfaces, ips } = result as CniResult;
  const count = interfaces?.length ?? 0;
  const outside = (ips ?? []).findIndex((ip) => typeof ip.interface === "number" && ip.interface >= count);
  return outside < 0 ? undefined : `${root}.ips[${outside}].interface is outside the list of ${count} interfaces`;
}
