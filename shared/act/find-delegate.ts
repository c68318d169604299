import type { Host } from "../host/host.ts";
import { directoriesBehind } from "./drop-in.ts";
import { cleanPath, pathIn, searchPath } from "./search-path.ts";

/** Finds the delegate, an executable that is not the wrapper itself; undefined if there is none. */
export function findDelegate(host: Host, delegate: string): string | undefined {
  const findIn = (directories: readonly string[]) => {
    return pathsIn(directories, delegate).find((path) => host.inspect(path) === "executable");
  };
  const { listed, own } = searched(host, delegate);
  return findIn(listed) ?? findIn(own());
}

/**
 * Returns the paths to try: in the directories of CNI_PATH, then next to the executable. A wrapper that is installed under
 * the delegate's own name tries only the directories after its own in CNI_PATH, so that wrappers of several versions cannot
 * call each other forever.
 */
export function candidates(host: Host, delegate: string): string[] {
  const { listed, own } = searched(host, delegate);
  return pathsIn([...listed, ...own()], delegate);
}

/** Only a delegate that is in none of the listed directories needs the executable's own directory. */
function searched(host: Host, delegate: string): { listed: readonly string[]; own(): readonly string[] } {
  const directories = searchPath(host.env.CNI_PATH ?? "");
  const { directory, name } = pathParts(host.calledAs);
  if (name !== delegate) return { listed: directories, own: () => ownDirectory(host, directories) };
  return { listed: directory === undefined ? directories : directoriesBehind(host, directories, directory), own: none };
}

const none = () => [];

function ownDirectory(host: Host, listed: readonly string[]): readonly string[] {
  const own = pathParts(host.executable).directory ?? ".";
  return listed.includes(own) ? [] : [own];
}

function pathsIn(directories: readonly string[], delegate: string): string[] {
  return directories.map((directory) => pathIn(directory, delegate));
}

/** Splits a path into its last element and its directory, if it has one. */
export function pathParts(path: string): { directory: string | undefined; name: string } {
  const end = path.lastIndexOf("/") + 1;
  return { directory: end === 0 ? undefined : cleanPath(path.slice(0, end - 1) || "/"), name: path.slice(end) };
}
