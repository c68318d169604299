import { profiles } from "../../../plugins/index.ts";
import type { Environment } from "../../protocol/variables.ts";
import { run } from "../../run.ts";
import type { Machine } from "./machine.ts";
import { SlimHost } from "./slim-host.ts";
import { usage } from "./usage.ts";

/** Answers one call, with the process's arguments and environment. Returns the exit code. */
export function main(machine: Machine, args: readonly string[], env: Environment): number {
  if (args.length > 1 && !env.CNI_COMMAND) return usage(machine);
  return run(new SlimHost(machine, args[0] ?? "", env), profiles);
}
