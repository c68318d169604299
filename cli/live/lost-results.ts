import { availableParallelism } from "node:os";
import { addressesOf, readLinks } from "../host/links.ts";
import { entriesIn, Memory, type MemoryFile, stateDirectory } from "../host/memory.ts";
import { addressText, cidrOf, givesOut } from "../lists/addresses.ts";
import { poolsOf } from "../lists/ipam.ts";
import type { Terminal } from "../terminal.ts";
import type { LeftOut } from "./alike.ts";
import { atOnce } from "./at-once.ts";
import { type CachedAttachment, readAttachments } from "./cached-results.ts";
import type { HostPaths } from "./host-paths.ts";
import { isAmong, namedNamespaces } from "./namespaces.ts";
import type { Network } from "./networks.ts";

/** What the namespaces of a host are compared with. */
interface Surroundings {
  readonly paths: Pick<HostPaths, "cacheDirectory" | "network" | "containerId">;
  readonly networks: Iterable<Network>;
  readonly attachments: readonly CachedAttachment[];
  readonly memories: readonly MemoryFile[];
}

/**
 * Says, a line each, which namespaces have an address that a list gives out, and neither an attachment nor a journal: somebody has
 * removed the results of their containers. `linksAt` reads the links of a namespace.
 */
export async function lostResults(
  namespaces: readonly string[],
  { paths, networks, attachments, memories }: Surroundings,
  linksAt: (path: string) => ReturnType<typeof readLinks> = readLinks,
): Promise<readonly string[]> {
  const { cacheDirectory, network, containerId } = paths;
  // Nobody knows the id of such a container, and the results of another directory are another runtime's.
  if (containerId !== undefined || cacheDirectory !== stateDirectory) return [];
  // libcni before 1.3 does not write the namespace, and a result of 0.2.0 has none.
  const unplaced = new Set(attachments.filter(({ netns }) => netns === "").map((one) => one.network));
  const pools = [...networks]
    // guard: a container whose result does not say its namespace has lost none
    .filter(({ name }) => (network === undefined || name === network) && !unplaced.has(name))
    .flatMap(({ name, list }) => list.plugins.flatMap(poolsOf).map((pool) => ({ ...pool, name })));
  if (pools.length === 0) return [];
  // guard: an ADD that still runs has a journal, and no result yet
  const entries = entriesIn(memories.flatMap(({ journal }) => journal ?? []));
  const isKnown = isAmong([
    ...attachments.map(({ netns }) => netns),
    ...entries.map(({ namespace }) => namespace.path),
    // A name of the host's own namespace is no container.
    ...["/proc/1/ns/net", "/proc/self/ns/net"],
  ]);
  const unknown = namespaces.filter((path) => !isKnown(path));
  const lines = await atOnce(unknown, availableParallelism(), async (path) => {
    const addresses = ((await linksAt(path)) ?? []).flatMap(addressesOf).flatMap((address) => cidrOf(address) ?? []);
    const given = addresses.flatMap((address) => {
      const pool = pools.find((one) => {
        // guard: an address that the list does not give out, such as a gateway's or a VPN's, is no container's
        return one.length === address.length && givesOut(one, address);
      });
      return pool ? [`${path} has ${addressText(address)}: the network ${pool.name} gives it out, and ${lost}`] : [];
    });
    return given.slice(0, 1);
  });
  return lines.flat();
}

const lost = "libcni's cache has no result; if a container runs there, its CHECK fails: replace it";

/** Notes the containers of these networks whose results are lost. */
export async function noteLost(
  { paths, leftOut }: { readonly paths: HostPaths; readonly leftOut: LeftOut },
  networks: readonly Network[],
  terminal: Pick<Terminal, "wait">,
): Promise<void> {
  const look = () => {
    // What cannot be read is told already.
    const attachments = readAttachments(paths, () => {}).all;
    return lostResults(namedNamespaces(), { paths, networks, attachments, memories: new Memory().files() });
  };
  for (const line of await lasting(look, terminal)) leftOut.note(line);
}

/** Looks again as long as something is found, at most three times: an ADD of plain plugins leaves nothing before its result. */
export async function lasting(
  look: () => Promise<readonly string[]>,
  { wait }: Pick<Terminal, "wait">,
): Promise<readonly string[]> {
  let lines = await look();
  for (let times = 0; times < 3 && lines.length > 0; times++) {
    await wait(1000);
    const now = await look();
    // guard: a container that begins at this moment has lost nothing
    lines = lines.filter((line) => now.includes(line));
  }
  return lines;
}
