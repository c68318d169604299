import type { Host } from "../host/host.ts";
import { delegateName } from "../plan/target.ts";
import { CniError } from "../protocol/errors.ts";
import { cleanPath, directoriesBehind, pathIn, searchPath } from "./search-path.ts";

/** Finds the delegate, an executable that is not the wrapper itself; undefined if there is none. */
export function findDelegate(host: Host, delegate: string): string | undefined {
  return candidates(host, delegate).find((path) => host.inspect(path) === "executable");
}

/** Returns the error for a missing delegate. It lists the paths that were tried, and why none of them will do. */
export function missingDelegate(host: Host, delegate: string, key: "delegateNotFound" | "unavailable"): CniError {
  return new CniError(key, delegate, whyMissing(host, delegate));
}

function whyMissing(host: Host, delegate: string): string {
  const seen = candidates(host, delegate).map((path) => ({ path, inspected: host.inspect(path) }));
  const { directory, name } = pathParts(host.calledAs);
  // The name of a wrapper, as in "delegate": "bridge-wrapper".
  const isWrappers = delegateName(delegate) !== delegate;
  if (isWrappers && (delegate === name || seen.some(({ inspected }) => inspected === "the wrapper itself"))) {
    const plugin = delegateName(delegate) ?? delegateName(host.calledAs);
    const type = plugin === undefined ? "the plugin's own type" : JSON.stringify(plugin);
    return `${delegate} is the wrapper itself, not a plugin: write ${type} as "delegate" under "wrapper"`;
  }
  if (seen.length > 0) return `Looked for ${seen.map(({ path, inspected }) => `${path} (${inspected})`).join(", ")}`;
  return directory === undefined ? "CNI_PATH has no directory" : `CNI_PATH has no directory after ${directory}`;
}

/**
 * Returns the paths to try: in the directories of CNI_PATH, then next to the executable. A wrapper that is installed under
 * the delegate's own name tries only the directories after its own in CNI_PATH, so that wrappers of several versions cannot
 * call each other forever.
 */
function candidates(host: Host, delegate: string): string[] {
  return searched(host, delegate).map((directory) => pathIn(directory, delegate));
}

function searched(host: Host, delegate: string): string[] {
  const directories = searchPath(host.env.CNI_PATH ?? "");
  const { directory, name } = pathParts(host.calledAs);
  if (name !== delegate) return [...new Set([...directories, pathParts(host.executable).directory ?? "."])];
  return directory === undefined ? directories : directoriesBehind(host, directories, directory);
}

/** Splits a path into its last element and its directory, if it has one. */
function pathParts(path: string): { directory: string | undefined; name: string } {
  const end = path.lastIndexOf("/") + 1;
  return { directory: end === 0 ? undefined : cleanPath(path.slice(0, end - 1) || "/"), name: path.slice(end) };
}
