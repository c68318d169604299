import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readFile } from "../../shared/host/node/files.ts";

/** A process of this host, and its directory in /proc. */
export interface Process {
  readonly name: string;
  readonly pid: number;
  readonly path: string;
}

/** Finds the processes of these names. Anybody can give a process a name, so it must belong to `owner`. */
export function processesNamed(names: readonly string[], processes = "/proc", owner = 0): readonly Process[] {
  const ids = readdirSync(processes).filter((name) => /^\d+$/.test(name));
  return ids.flatMap((id) => {
    const path = join(processes, id);
    const name = readFile(join(path, "comm"))?.trim() ?? "";
    const isOwn = names.includes(name) && statSync(path, { throwIfNoEntry: false })?.uid === owner;
    return isOwn ? { name, pid: Number(id), path } : [];
  });
}
