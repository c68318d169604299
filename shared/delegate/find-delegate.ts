import { delegateName } from "../call/call.ts";
import type { Host } from "../host/host.ts";
import { CniError, type ErrorKey } from "../protocol/errors.ts";
import { lastElement } from "../protocol/names.ts";

/** Finds the delegate, which is not the wrapper itself, in the directories of CNI_PATH, then next to the executable. */
export function findDelegate(host: Host, delegate: string): string | undefined {
  // guard: no file that is no program is run, nor the wrapper itself
  const isProgram = (path: string) => host.inspect(path) === "executable";
  // Only a delegate that is in none of these directories needs the executable's own.
  return listedPaths(host, delegate).find(isProgram) ?? ownPaths(host, delegate).find(isProgram);
}

/**
 * Returns the paths to try in the directories of CNI_PATH. A wrapper that is installed under the delegate's own name tries only
 * the directories after its own, so that wrappers of several versions cannot call each other forever.
 */
function listedPaths(host: Host, delegate: string): string[] {
  const directories = searchPath(host.env.CNI_PATH ?? "");
  // guard: a wrapper with its plugin's name does not call itself
  const own = lastElement(host.calledAs) === delegate ? directoryOf(host.calledAs) : undefined;
  const tried = own === undefined ? directories : directoriesBehind(host, directories, own);
  return tried.map((directory) => pathIn(directory, delegate));
}

/** Returns the path to try next to the executable. */
function ownPaths(host: Host, delegate: string): string[] {
  // guard: a wrapper with its plugin's name does not call itself
  if (lastElement(host.calledAs) === delegate) return [];
  // Without /proc, nobody knows where the executable is.
  const directory = directoryOf(host.executable);
  return directory === undefined ? [] : [pathIn(directory, delegate)];
}

/** Returns the directory of a path, if it has one. */
export function directoryOf(path: string): string | undefined {
  const end = path.lastIndexOf("/");
  return end < 0 ? undefined : cleanPath(path.slice(0, end) || "/");
}

/** Returns the directories after `directory`; all if it is not in the list. One with several paths counts once. */
function directoriesBehind(host: Host, directories: readonly string[], directory: string): string[] {
  const identities = new Map<string, string>();
  for (const candidate of directories) {
    const identity = identityOf(host, candidate);
    if (!identities.has(identity)) identities.set(identity, candidate);
  }
  const place = [...identities.keys()].indexOf(identityOf(host, directory));
  return [...identities.values()].slice(place + 1);
}

function identityOf(host: Host, directory: string): string {
  const file = host.stat(directory);
  // The inodes of an overlay can be so large that several become the same number.
  return file && Number.isSafeInteger(file.inode) ? `${file.device}:${file.inode}` : directory;
}

/** Returns the directories of CNI_PATH, cleaned and without repeats. Empty elements are ignored. */
export function searchPath(text: string): string[] {
  // Most runtimes set one directory.
  if (text !== "" && !text.includes(":")) return [cleanPath(text)];
  return [...new Set(text.split(":").filter(Boolean).map(cleanPath))];
}

/** Returns the shortest spelling of a path, as Go's filepath.Clean does. libcni uses it to call plugins. */
export function cleanPath(path: string): string {
  // Every call cleans two paths, and nearly all are already clean.
  if (path.startsWith("/") && !path.endsWith("/") && !path.includes("//") && !path.includes("/.")) return path;
  const isRooted = path.startsWith("/");
  const kept: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") kept.push(part);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!isRooted) kept.push(part);
  }
  return isRooted ? `/${kept.join("/")}` : kept.join("/") || ".";
}

/** Returns the path of a name in a directory. */
function pathIn(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}

/** Returns the error for a missing delegate. It lists the paths that were tried, and why none of them will do. */
export function missingDelegate(host: Host, delegate: string, key: ErrorKey = "delegateNotFound"): CniError {
  return new CniError(key, delegate, whyMissing(host, delegate));
}

function whyMissing(host: Host, delegate: string): string {
  const tried = new Set([...listedPaths(host, delegate), ...ownPaths(host, delegate)]);
  const seen = [...tried].map((path) => ({ path, inspected: host.inspect(path) }));
  // The name of a wrapper, as in "delegate": "bridge-wrapper".
  const isWrappers = delegateName(delegate) !== delegate;
  if (
    isWrappers &&
    (delegate === lastElement(host.calledAs) || seen.some(({ inspected }) => inspected === "the wrapper itself"))
  ) {
    const plugin = delegateName(delegate) ?? delegateName(host.calledAs);
    const type = plugin === undefined ? "the plugin's own type" : JSON.stringify(plugin);
    return `${delegate} is the wrapper itself, not a plugin: write ${type} as "delegate" under "wrapper"`;
  }
  if (seen.length > 0) return `Looked for ${seen.map(({ path, inspected }) => `${path} (${inspected})`).join(", ")}`;
  const directory = directoryOf(host.calledAs);
  return directory === undefined ? "CNI_PATH has no directory" : `CNI_PATH has no directory after ${directory}`;
}
