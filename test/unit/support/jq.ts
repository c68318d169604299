import { readFileSync } from "node:fs";
import { loadJq } from "jq-wasm";

const jq = await loadJq();

/** Runs a program of `test/oracle/` on a value, with variables that are texts. */
export function oracle(program: string, input: object, variables: Readonly<Record<string, string>> = {}): unknown {
  const text = readFileSync(new URL(`../../oracle/${program}`, import.meta.url), "utf8");
  const flags = Object.entries(variables).flatMap(([name, value]) => ["--arg", name, value]);
  return jq.first(input, text, flags);
}
