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

/**
 * Returns a PATH without relative entries, and with the usual directories at its end. cron's has no sbin, where the plugins
 * look for iptables.
 */
export function withUsualDirectories(path: string | undefined): string {
  return [...new Set([...(path ?? "").split(":").filter(isAbsolute), ...usualDirectories])].join(":");
}

function isAbsolute(directory: string): boolean {
  return directory.startsWith("/");
}
