import type { Host } from "./host.ts";

/** Every distribution has its programs here. A runtime's PATH may be short. */
const usualDirectories = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/**
 * Finds a program of the host in PATH, else in the usual directories. Empty and relative entries of PATH are ignored, because
 * they mean the working directory, and a wrapper runs as root.
 */
export function findProgram(name: string, path: string | undefined, inspect: Host["inspect"]): string | undefined {
  const directories = (path ?? "").split(":").filter(isAbsolute);
  return [...directories, ...usualDirectories]
    .map((directory) => `${directory}/${name}`)
    .find((file) => inspect(file) === "executable");
}

/** Returns a PATH without relative entries, and with the usual directories: cron's has no sbin, where iptables is. */
export function withUsualDirectories(path: string | undefined): string {
  return [...new Set([...(path ?? "").split(":").filter(isAbsolute), ...usualDirectories])].join(":");
}

function isAbsolute(directory: string): boolean {
  return directory.startsWith("/");
}

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
