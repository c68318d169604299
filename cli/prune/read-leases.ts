import { realpathSync } from "node:fs";
import { isIP } from "node:net";
import { dirname, join } from "node:path";
import { listDirectory, readFile, stat } from "../../shared/host/node/files.ts";
import { type Lease, leaseDirectory, parseLease } from "../../shared/journal/lease.ts";
import { leasesOf } from "../lists/leases.ts";
import type { List } from "../lists/list.ts";
import { plainAddress } from "./names.ts";
import { leaseName, type Thing } from "./thing.ts";

// Longer than an ADD takes. The wrappers' recovery waits as long.
const youngest = 15 * 60 * 1000;

/** Returns the directories in which host-local keeps the leases of lists, and its default one: a network has a directory below. */
export function leaseDirectories(lists: readonly List[]): readonly string[] {
  const named = lists.flatMap(({ plugins }) => plugins.map((plugin) => dirname(leasesOf(plugin))));
  return [...new Set([leaseDirectory, ...named].flatMap(realPath))];
}

/** Reads the leases of all networks in a directory. `now` is the time in milliseconds. */
export function readLeases(directory: string, now: number): readonly Thing[] {
  return listDirectory(directory).flatMap((network) => {
    const files = listDirectory(join(directory, network)).filter((name) => isIP(name) !== 0);
    return files.flatMap((address) => readLease(join(directory, network), { network, address, now }));
  });
}

/** The containers that have a lease of an address at this moment. `address` is spelled as by `plainAddress`. */
export function holdersOf(address: string, directories: readonly string[]): readonly string[] {
  const folders = directories.flatMap((directory) =>
    listDirectory(directory).map((network) => join(directory, network)),
  );
  const files = folders.flatMap((folder) => {
    const names = listDirectory(folder).filter((name) => isIP(name) !== 0 && plainAddress(name) === address);
    return names.map((name) => join(folder, name));
  });
  const texts = files.flatMap((file) => readFile(file) ?? []);
  return texts.map((text) => ownerOf(address, text).containerId);
}

function readLease(
  directory: string,
  { network, address, now }: { readonly network: string; readonly address: string; readonly now: number },
): readonly Thing[] {
  const file = join(directory, address);
  const [text, modifiedMs] = [readFile(file), stat(file)?.modifiedMs];
  if (text === undefined || modifiedMs === undefined) return [];
  const { containerId, ifName } = ownerOf(address, text);
  return [
    {
      kind: "lease",
      where: file,
      name: leaseName(network, containerId, ifName),
      network,
      containerId,
      addresses: [plainAddress(address)],
      doubt: doubtAbout(ifName, now - modifiedMs),
      removal: { by: "unlink", file, text, lock: join(directory, "lock") },
    },
  ];
}

// Older versions of host-local wrote no interface.
function ownerOf(address: string, text: string): Pick<Lease, "containerId" | "ifName"> {
  return parseLease(address, text) ?? { containerId: text.trim(), ifName: "" };
}

function doubtAbout(ifName: string, ageMs: number): string | undefined {
  if (!ifName) return "it names no interface: somebody may have reserved the address";
  return ageMs < youngest ? "it is less than 15 minutes old: an ADD may be under way" : undefined;
}

function realPath(path: string): readonly string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}
