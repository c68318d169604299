import { availableParallelism } from "node:os";
import { addressesOf, readLinks } from "../host/links.ts";
import { entriesIn, type MemoryFile, stateDirectory } from "../host/memory.ts";
import { addressText, cidrOf } from "../lists/addresses.ts";
import { poolsOf } from "../lists/ipam.ts";
import { atOnce } from "./at-once.ts";
import type { HostPaths } from "./host-paths.ts";
import { namespacePath } from "./namespaces.ts";
import type { Network } from "./networks.ts";

/** What the namespaces without an attachment are compared with. */
export interface Surroundings {
  readonly paths: Pick<HostPaths, "cacheDirectory" | "network" | "containerId">;
  readonly networks: Iterable<Network>;
  readonly memories: readonly MemoryFile[];
}

/**
 * Says, a line each, which of the namespaces without an attachment have an address that a list gives out, and no journal: somebody
 * has removed the results of their containers. `linksAt` reads the links of a namespace.
 */
export async function lostResults(
  namespaces: readonly string[],
  { paths, networks, memories }: Surroundings,
  linksAt: (path: string) => ReturnType<typeof readLinks> = readLinks,
): Promise<readonly string[]> {
  const { cacheDirectory, network, containerId } = paths;
  // Nobody knows the id of such a container, and the results of another directory are another runtime's.
  if (containerId !== undefined || cacheDirectory !== stateDirectory) return [];
  const pools = [...networks]
    .filter(({ name }) => network === undefined || name === network)
    .flatMap(({ name, list }) => list.plugins.flatMap(poolsOf).map((pool) => ({ ...pool, name })));
  // guard: an ADD that still runs has a journal, and no result yet
  const entries = entriesIn(memories.flatMap(({ journal }) => journal ?? []));
  const remembered = new Set(entries.map(({ namespace }) => namespacePath(namespace.path)));
  const unknown = pools.length === 0 ? [] : namespaces.filter((path) => !remembered.has(namespacePath(path)));
  const lines = await atOnce(unknown, availableParallelism(), async (path) => {
    const addresses = ((await linksAt(path)) ?? []).flatMap(addressesOf);
    const given = addresses.flatMap((address) => {
      const own = cidrOf(address);
      const pool = pools.find(({ bits, first, last }) => own?.bits === bits && first <= own.value && own.value <= last);
      return own && pool
        ? [`${path}: it has ${addressText(own)}, an address of the network ${pool.name}, ${lost}`]
        : [];
    });
    return given.slice(0, 1);
  });
  return lines.flat();
}

const lost = "and no result in libcni's cache: if a container runs there, its CHECK fails; replace it";
