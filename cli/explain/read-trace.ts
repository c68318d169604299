import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../shared/protocol/json.ts";
import type { ConfiguredVerb } from "../../shared/protocol/request.ts";
import type { List } from "../lists/list.ts";
import { type Call, callOrder } from "../live/libcni.ts";
import { Trouble, withPath } from "../trouble.ts";
import type { Answer } from "./rehearsal.ts";

/** One recorded call: `NN-VERB-plugin/request.json`, and `delegate.json` if the plugin printed something. */
export interface RecordedCall {
  readonly verb: string;
  readonly plugin: string;
  /** The variables, and the stdin if it was recorded. */
  readonly call: Partial<Call> & Pick<Call, "environment">;
  readonly answer: Answer;
}

/** Reads the recorded calls in a directory, in their order. Throws Trouble if there are none or one cannot be read. */
export function readTrace(path: string, directory: string): readonly RecordedCall[] {
  const full = resolve(directory, path);
  const names = withPath(path, () => readdirSync(full))
    .filter((name) => /^\d+-[A-Z]+-./.test(name))
    .sort();
  if (names.length === 0) throw new Trouble(`${path}: there is no folder like 01-ADD-bridge-wrapper`);
  return names.map((name) => readCall(join(full, name), name));
}

function readCall(folder: string, name: string): RecordedCall {
  const [, verb = "", plugin = ""] = /^\d+-([A-Z]+)-(.+)$/.exec(name) ?? [];
  const { env, stdin } = readObject(join(folder, "request.json"));
  const answerFile = join(folder, "delegate.json");
  const output = existsSync(answerFile) ? readObject(answerFile) : undefined;
  const isError = typeof output?.code === "number" && typeof output.msg === "string";
  const environment = (isJsonObject(env) ? env : {}) as Call["environment"];
  const call = { environment, ...(isJsonObject(stdin) && { stdin }) };
  return { verb, plugin, call, answer: { exitCode: isError ? 1 : 0, output } };
}

function readObject(path: string): JsonObject {
  const value = parseJsonObject(withPath(path, () => readFileSync(path, "utf8")));
  if (value === undefined) throw new Trouble(`${path}: it is not a JSON object`);
  return value;
}

/**
 * Finds the recorded call of each plugin of a list, by its index. A trace may lack plugins that are not wrapped. Throws
 * Trouble if it has calls that are not the list's.
 */
export function matchTrace(
  list: List,
  verb: ConfiguredVerb,
  trace: readonly RecordedCall[],
): ReadonlyMap<number, RecordedCall> {
  const calls = trace.filter((call) => call.verb === verb);
  const matched = new Map<number, RecordedCall>();
  let next = 0;
  for (const index of callOrder(list, verb)) {
    const call = calls[next];
    if (call?.plugin !== list.plugins[index]?.type || call === undefined) continue;
    matched.set(index, call);
    next++;
  }
  const rest = calls[next];
  if (rest === undefined) return matched;
  throw new Trouble(
    `the trace is of another list: it has a call ${verb} of ${rest.plugin} that the list does not have`,
  );
}
