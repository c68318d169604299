import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Explanation, explain } from "../../../../cli/explain/explain.ts";
import { exampleAttachment, exampleSource } from "../../../../cli/explain/model-answers.ts";
import { type List, listOf } from "../../../../cli/lists/list.ts";
import { parseListFile } from "../../../../cli/lists/list-file.ts";
import type { JsonObject } from "../../../../shared/protocol/json.ts";
import type { ConfiguredVerb } from "../../../../shared/protocol/request.ts";

/** The root of the repository. */
export const root = join(import.meta.dirname, "../../../..");

const fixtures = join(root, "test/fixtures");

/** The folders with the recorded calls of whole lists. */
export const recordedChains = [
  ...new Set(globSync("*/*/*/request.json", { cwd: fixtures }).map((file) => dirname(dirname(file)))),
].sort();

/** The names of the calls in a recorded chain, in their order. */
export function callsOf(chain: string): string[] {
  return globSync("*/request.json", { cwd: join(fixtures, chain) })
    .map(dirname)
    .sort();
}

/** One file of a recorded call. */
export function readCall(chain: string, call: string, file: string): JsonObject {
  return JSON.parse(readFileSync(join(fixtures, chain, call, file), "utf8"));
}

/** The list of a text. */
export function parsedList(value: object): List {
  const list = listOf(parseListFile("zone.conflist", JSON.stringify(value)));
  if (list === undefined) throw new Error("it is no list");
  return list;
}

/**
 * The list that a recorded chain was made with: the plugins' configurations without the runtime's own keys. Only wrappers are
 * in the fixtures. If the first ADD has a prevResult, the plain plugin loopback made it.
 */
export function recordedList(chain: string): List {
  const calls = callsOf(chain);
  const [, first] = calls[0]?.split("-") ?? [];
  const requests = calls
    .filter((call) => call.includes(`-${first}-`))
    .map((call) => readCall(chain, call, "request.json").stdin as JsonObject);
  const plugins = requests.map(({ name: _n, cniVersion: _v, prevResult: _p, runtimeConfig: _r, ...plugin }) => plugin);
  const [{ name, cniVersion, prevResult } = {}] = requests;
  const isAfterLoopback = first === "ADD" && prevResult !== undefined;
  return parsedList({ name, cniVersion, plugins: isAfterLoopback ? [{ type: "loopback" }, ...plugins] : plugins });
}

/** A verb of a list, explained with examples. */
export function explained(list: object, verb: ConfiguredVerb = "ADD"): Explanation {
  const parsed = parsedList(list);
  return explain(parsed, verb, exampleSource(exampleAttachment(parsed)));
}
