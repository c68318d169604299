import { readFileSync } from "node:fs";
import { loadJq } from "jq-wasm";
import type { JqAnswer } from "../../../shared/host/host.ts";

const jq = await loadJq();

/** Runs a program as a host with jq does. */
export function hostJq(program: string, input: string): JqAnswer {
  const { exitCode, stdout, stderr } = jq.raw(input, program, ["-c"]);
  return exitCode === 0 ? { output: stdout } : { problem: stderr };
}

/** Runs a program of `test/support/oracle/` on a value. */
export function oracle(program: string, input: object): unknown {
  return jq.first(input, readFileSync(new URL(`../../support/oracle/${program}`, import.meta.url), "utf8"));
}
