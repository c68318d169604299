import type { Machine } from "./machine.ts";

const text = `This is the slim flavor of cni-wrappers. A container runtime calls it; it has no commands and no options.
The commands, such as lint and explain, are in the Node flavor and in the npm package: docs/commands.md.

It reads CNI_COMMAND from the environment and the plugin configuration from stdin:
  ADD, CHECK, DEL, GC, STATUS, VERSION   runs the plugin behind <plugin>-wrapper, for one interface of the container
  (empty, no arguments)                  prints the version and the supported versions of the specification
`;

/** Prints the usage for a call with arguments. Returns the exit code. */
export function usage(machine: Machine): number {
  machine.writeText(text);
  return 2;
}
