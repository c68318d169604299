import type { Host } from "./host.ts";

/** Where every distribution has its programs: a runtime's PATH may be a short one. */
const usualDirectories = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/**
 * The path of a program of the host: from PATH, else from the usual directories. Empty and relative entries of PATH are left
 * out, because they name the working directory, and a wrapper runs as root.
 */
export function findProgram(name: string, path: string | undefined, inspect: Host["inspect"]): string | undefined {
  const directories = (path ?? "").split(":").filter((directory) => directory.startsWith("/"));
  return [...directories, ...usualDirectories]
    .map((directory) => `${directory}/${name}`)
    .find((file) => inspect(file) === "executable");
}
