import type { Host } from "./host.ts";
import { findProgram } from "./programs.ts";

/** How a host runs ip(8) in a network namespace: the commands are on stdin, the answer is JSON on stdout. */
export interface IpCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** The most that is read of the answer. In bytes. */
  readonly limit: number;
}

/** The command that answers ip(8)'s commands in a network namespace: ip's own -netns takes no path. Undefined if a program is missing. */
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
