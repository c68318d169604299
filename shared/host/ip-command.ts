import type { Host } from "./host.ts";
import { findProgram } from "./programs.ts";

/** How a host runs ip(8) in a network namespace. The commands go to stdin, the answer is JSON on stdout. */
export interface IpCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** The longest answer that is read. In bytes. */
  readonly limit: number;
}

/**
 * Returns the command that runs ip(8) in a network namespace; undefined if a program is missing. ip's own -netns does not
 * take a path.
 */
export function ipCommand(
  { env, inspect }: Pick<Host, "env" | "inspect">,
  netns: string,
  family: 4 | 6,
): IpCommand | undefined {
  const [nsenter, ip] = ["nsenter", "ip"].map((name) => findProgram(name, env.PATH, inspect));
  if (nsenter === undefined || ip === undefined) return undefined;
  const args = [`--net=${netns}`, ip, "-json", `-${family}`, "-batch", "-"];
  return { program: nsenter, args, limit: 8 * 1024 * 1024 };
}
