import type { Host } from "../host/host.ts";
import { directoriesBehind } from "./drop-in.ts";
import { cleanPath, pathIn, searchPath } from "./search-path.ts";

/** Finds the delegate, an executable that is not the wrapper itself; undefined if there is none. */
export function findDelegate(host: Host, delegate: string): string | undefined {
  return candidates(host, delegate).find((path) => host.inspect(path) === "executable");
}

/**
 * Returns the paths to try: in the directories of CNI_PATH, then next to the executable. A wrapper that is installed under
 * the delegate's own name tries only the directories after its own in CNI_PATH, so that wrappers of several versions cannot
 * call each other forever.
 */
export function candidates(host: Host, delegate: string): string[] {
  return searched(host, delegate).map((directory) => pathIn(directory, delegate));
}

function searched(host: Host, delegate: string): string[] {
  const directories = searchPath(host.env.CNI_PATH ?? "");
  const { directory, name } = pathParts(host.calledAs);
  if (name !== delegate) return withOwn(directories, pathParts(host.executable).directory ?? ".");
  return directory === undefined ? directories : directoriesBehind(host, directories, directory);
}

function withOwn(directories: string[], own: string): string[] {
  return directories.includes(own) ? directories : [...directories, own];
}

/** Splits a path into its last element and its directory, if it has one. */
export function pathParts(path: string): { directory: string | undefined; name: string } {
  const end = path.lastIndexOf("/") + 1;
  return { directory: end === 0 ? undefined : cleanPath(path.slice(0, end - 1) || "/"), name: path.slice(end) };
}
