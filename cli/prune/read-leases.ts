import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { attempt, stat } from "../../shared/host/node/files.ts";
import { leaseDirectory } from "../../shared/journal/host-files.ts";
import { Memory } from "../host/memory.ts";
import { leasesOf } from "../lists/ipam.ts";
import type { List } from "../lists/list.ts";
import { leaseName, plainAddress, type Thing } from "./thing.ts";

// Longer than an ADD takes. The wrappers' recovery waits as long.
const youngest = 15 * 60 * 1000;

/** Returns the directories in which host-local keeps the leases of lists, and its default one: a network has a directory below. */
export function leaseDirectories(lists: readonly List[]): readonly string[] {
  const named = lists.flatMap(({ plugins }) => plugins.map((plugin) => dirname(leasesOf(plugin))));
  return [...new Set([leaseDirectory, ...named].flatMap((path) => attempt(() => realpathSync(path)) ?? []))];
}

/** Reads the leases of all networks in these directories. `now` is the time in milliseconds. */
export function readLeases(directories: readonly string[], now: number): readonly Thing[] {
  const memory = new Memory();
  return memory.leaseFolders(directories).flatMap((folder) => {
    const network = basename(folder);
    return memory.leases(folder).map(({ address, containerId, ifName }): Thing => {
      const file = join(folder, address);
      return {
        kind: "lease",
        where: file,
        name: leaseName(network, containerId, ifName),
        network,
        containerId,
        addresses: [plainAddress(address)],
        doubt: doubtAbout(ifName, now - (stat(file)?.modifiedMs ?? now)),
        removal: { by: "unlink", file, text: memory.read(file) ?? "", lock: join(folder, "lock") },
      };
    });
  });
}

/** The containers that have a lease of an address at this moment. `address` is spelled as by `plainAddress`. */
export function holdersOf(address: string, directories: readonly string[]): readonly string[] {
  const memory = new Memory();
  const isIt = (name: string) => plainAddress(name) === address;
  const leases = memory.leaseFolders(directories).flatMap((folder) => memory.leases(folder, isIt));
  return leases.map(({ containerId }) => containerId);
}

function doubtAbout(ifName: string, ageMs: number): string | undefined {
  if (!ifName) return "it names no interface: somebody may have reserved the address";
  // A host whose clock was wrong would keep it until then.
  if (ageMs < -youngest) return "its time is in the future: touch the file, and prune in 15 minutes";
  return ageMs < youngest ? "it is less than 15 minutes old: an ADD may be under way" : undefined;
}
