import type { Host } from "../host/host.ts";
import { cleanPath, pathIn, searchPath } from "./search-path.ts";

/** Finds the delegate, an executable that is not the wrapper itself; undefined if there is none. */
export function findDelegate(host: Host, delegate: string): string | undefined {
  const listed = listedDirectories(host, delegate);
  // Only a delegate that is in none of these directories needs the executable's own.
  return executableIn(host, listed, delegate) ?? executableIn(host, ownDirectory(host, listed, delegate), delegate);
}

/**
 * Returns the paths to try: in the directories of CNI_PATH, then next to the executable. A wrapper that is installed under
 * the delegate's own name tries only the directories after its own in CNI_PATH, so that wrappers of several versions cannot
 * call each other forever.
 */
export function candidates(host: Host, delegate: string): string[] {
  const listed = listedDirectories(host, delegate);
  return [...listed, ...ownDirectory(host, listed, delegate)].map((directory) => pathIn(directory, delegate));
}

function executableIn(host: Host, directories: readonly string[], delegate: string): string | undefined {
  for (const directory of directories) {
    const path = pathIn(directory, delegate);
    if (host.inspect(path) === "executable") return path;
  }
  return undefined;
}

function listedDirectories(host: Host, delegate: string): readonly string[] {
  const directories = searchPath(host.env.CNI_PATH ?? "");
  if (nameOf(host.calledAs) !== delegate) return directories;
  const own = directoryOf(host.calledAs);
  return own === undefined ? directories : directoriesBehind(host, directories, own);
}

function ownDirectory(host: Host, listed: readonly string[], delegate: string): readonly string[] {
  if (nameOf(host.calledAs) === delegate) return [];
  const own = directoryOf(host.executable) ?? ".";
  return listed.includes(own) ? [] : [own];
}

/** Returns the last element of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns the directory of a path, if it has one. */
export function directoryOf(path: string): string | undefined {
  const end = path.lastIndexOf("/");
  return end < 0 ? undefined : cleanPath(path.slice(0, end) || "/");
}

/**
 * Returns the directories after `directory`; all of them if it is not in the list. A directory with several paths (a
 * symbolic link) counts once.
 */
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
  return file ? `${file.device}:${file.inode}` : directory;
}
