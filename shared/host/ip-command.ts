import type { Host } from "./host.ts";
import { findProgram } from "./programs.ts";

/** How a host runs ip(8) in a network namespace. The commands go to stdin, the answer is JSON on stdout. */
export interface IpCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/** The longest answer of ip(8) that is read. In bytes. */
export const longestAnswer = 8 * 1024 * 1024;

/**
 * Returns the command that runs ip(8), in a network namespace if one is given; undefined if a program is missing. ip's own
 * -netns does not take a path.
 */
export function ipCommand(
  { env, inspect }: Pick<Host, "env" | "inspect">,
  args: readonly string[],
  netns: string | undefined,
): IpCommand | undefined {
  const ip = findProgram("ip", env.PATH, inspect);
  if (ip === undefined) return undefined;
  if (netns === undefined) return { program: ip, args };
  const nsenter = findProgram("nsenter", env.PATH, inspect);
  return nsenter === undefined ? undefined : { program: nsenter, args: [`--net=${netns}`, ip, ...args] };
}
