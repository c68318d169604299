import type { Host } from "../host/host.ts";

/**
 * Returns the directories after `directory`; all of them if it is not in the list. A directory with several paths (a
 * symbolic link) counts once.
 */
export function directoriesBehind(host: Host, directories: readonly string[], directory: string): string[] {
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
