import type { Host } from "../host/host.ts";
import { delegateName } from "../plan/target.ts";
import { CniError } from "../protocol/errors.ts";
import { cleanPath, directoriesBehind, pathIn, searchPath } from "./search-path.ts";

/** Where the delegate is, an executable that is not the wrapper itself; undefined if nowhere. */
export function findDelegate(host: Host, delegate: string): string | undefined {
  return candidates(host, delegate).find((path) => host.inspect(path) === "executable");
}

/** The error for a delegate that is nowhere: which places were looked at, and what is there but cannot be executed. */
export function missingDelegate(host: Host, delegate: string, key: "delegateNotFound" | "unavailable"): CniError {
  return new CniError(key, delegate, whyMissing(host, delegate));
}

function whyMissing(host: Host, delegate: string): string {
  const seen = candidates(host, delegate).map((path) => ({ path, inspected: host.inspect(path) }));
  const { directory, name } = pathParts(host.calledAs);
  // A name that no plugin has, as for "delegate": "bridge-wrapper".
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
 * The directories of CNI_PATH, then the executable's own. Started by the delegate's very name it stands in the delegate's
 * place: then only the directories behind its own in CNI_PATH, so that wrappers of several versions cannot call each other
 * for ever.
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

/** The last element of a path, and the directory if it has one. */
function pathParts(path: string): { directory: string | undefined; name: string } {
  const end = path.lastIndexOf("/") + 1;
  return { directory: end === 0 ? undefined : cleanPath(path.slice(0, end - 1) || "/"), name: path.slice(end) };
}
