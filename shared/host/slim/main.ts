import { profiles } from "../../../plugins/index.ts";
import type { Environment } from "../../protocol/request.ts";
import { run } from "../../run.ts";
import type { Machine } from "./machine.ts";
import { SlimHost } from "./slim-host.ts";

/** Answers one call, with the process's arguments and environment. Returns the exit code. */
export function main(machine: Machine, args: readonly string[], env: Environment): number {
  if (args.length > 1 && !(env.CNI_COMMAND && args[0]?.endsWith("-wrapper"))) return usage(machine);
  return run(new SlimHost(machine, args[0] ?? "", env), profiles);
}

const text = `This is the slim flavor of cni-wrappers. A container runtime calls it; it has no commands and no options.
The commands, such as lint and explain, are in the Node flavor and in the npm package: docs/commands.md.

It reads CNI_COMMAND from the environment and the plugin configuration from stdin:
  ADD, CHECK, DEL, GC, STATUS, VERSION   runs the plugin behind <plugin>-wrapper, for one interface of the container
  (empty, no arguments)                  prints the version and the supported versions of the specification
`;

/** Prints the usage for a call with arguments. Returns the exit code. */
function usage(machine: Machine): number {
  machine.writeText(text);
  return 2;
}
