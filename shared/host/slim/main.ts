import { profiles } from "../../../plugins/index.ts";
import { run } from "../../run.ts";
import type { Machine } from "./machine.ts";
import { SlimHost } from "./slim-host.ts";
import { usage } from "./usage.ts";

/** Answers one call. Returns the exit code. */
export function main(machine: Machine): number {
  if (machine.arguments.length > 1 && !machine.variables.CNI_COMMAND) return usage(machine);
  return run(new SlimHost(machine), profiles);
}
