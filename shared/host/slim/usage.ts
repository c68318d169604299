import type { Machine } from "./machine.ts";

const text = `This is the slim flavor of cni-wrappers: it answers a container runtime, and has no commands.
Commands for operators belong to the Node flavor (npm run build, dist/bin/cni-wrappers).

What this executable does, by CNI_COMMAND, with the plugin configuration on stdin:
  ADD, CHECK, DEL, GC, STATUS, VERSION   run the plugin that it is named after (<plugin>-wrapper), narrowed to its interface
  none                                   print the version and the specification versions
`;

/** Answers whoever calls the executable with arguments; the exit code. */
export function usage(machine: Machine): number {
  machine.writeText(text);
  return 2;
}
