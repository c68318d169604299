import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { attempt, stat } from "../../shared/host/node/files.ts";
import { leaseDirectory } from "../../shared/journal/host-files.ts";
import type { AttachmentKey } from "../../shared/journal/journal.ts";
import { parseJsonObject } from "../../shared/protocol/json.ts";
import { filesIn } from "../files/read-input.ts";
import { readLinks } from "../host/links.ts";
import { type LeaveOut, Memory } from "../host/memory.ts";
import { leasesOf } from "../lists/ipam.ts";
import type { List } from "../lists/list.ts";
import { type CachedAttachment, isAttachment, parseCachedResult, readCachedResults } from "../live/cached-results.ts";
import type { Survey } from "./findings.ts";
import type { HostNamespaces } from "./host-namespaces.ts";
import { fileName, type Kind, knownsIn, leaseName, networksOf, plainAddress, type Thing } from "./known.ts";
import { linksOfContainers, readRules } from "./read-rules.ts";
import { statesOf } from "./state.ts";

/** Where a survey looks. */
export interface Places {
  readonly cacheDirectory: string;
  /** The lists that the runtime would load. */
  readonly lists: readonly List[];
}

/** Reads everything that belongs to attachments on this host. `leaveOut` gets a line about each result or journal that cannot be read. */
export async function surveyOf(
  { cacheDirectory, lists }: Places,
  { namespaces, pathState }: HostNamespaces,
  leaveOut: LeaveOut,
): Promise<Survey> {
  const unreadable: string[] = [];
  const skip = (file: string, reason: string) => {
    unreadable.push(file);
    leaveOut(file, reason);
  };
  const results = readResults(cacheDirectory, skip);
  const remembered = new Memory().files(skip);
  const knowns = knownsIn(results, remembered);
  const read = await readLinks();
  const links = read ?? [];
  const rules = readRules(links);
  const unseen = read ? [] : ["the host's interfaces: ip(8) is missing, or fails; links may be left"];
  const hostEnds = links.filter((link) => link.link_netnsid !== undefined && link.linkinfo?.info_kind === "veth");
  const atAdd = knowns.flatMap(({ list }) => list ?? []);
  const directories = leaseDirectories([...lists, ...atAdd]);
  return {
    states: statesOf(knowns, { pathState, namespaces, hostEnds, bootId: new Memory().moment()?.bootId, unreadable }),
    namespaces,
    things: [
      ...rules.things,
      ...linksOfContainers(links),
      ...readLeases(directories, Date.now()),
      ...readBackups(cacheDirectory, results, pathState, skip),
      ...remembered.map((one) => thingOf("journal", one)),
      ...results.map((one) => thingOf("result", one)),
    ],
    networks: new Map([
      ...knowns.flatMap((known) => networksOf(known).map((name) => [name, known.network] as const)),
      ...lists.flatMap(delegatesOf),
    ]),
    unreadable,
    problems: [...unseen, ...rules.problems],
    holdersOf: (address) => holdersOf(address, directories),
  };
}

function thingOf(kind: Kind, one: AttachmentKey & { readonly file: string; readonly text: string }): Thing {
  const { file, text, network, containerId } = one;
  const removal = { by: "unlink", file, text } as const;
  return { kind, where: file, name: fileName(one), network, containerId, addresses: [], removal };
}

function delegatesOf({ name = "", plugins }: List): readonly (readonly [string, string])[] {
  return [[name, name], ...plugins.map(({ network }) => [network, name] as const)];
}

function readResults(cacheDirectory: string, skip: LeaveOut) {
  const read = readCachedResults(cacheDirectory);
  for (const one of read) if (!isAttachment(one)) skip(one.file, one.reason);
  return read.filter(isAttachment);
}

// adopt keeps the backup of a result under the result's name. DEL removes only the result.
function readBackups(
  cacheDirectory: string,
  results: readonly CachedAttachment[],
  pathState: HostNamespaces["pathState"],
  skip: LeaveOut,
): readonly Thing[] {
  const byName = new Map(results.map((one) => [basename(one.file), one]));
  const memory = new Memory();
  const directory = join(cacheDirectory, "adopted");
  return filesIn(directory).flatMap((name) => {
    const file = join(directory, name);
    const text = memory.read(file) ?? "";
    const attachment = byName.get(name) ?? resultBefore(file, text);
    if (!attachment) {
      skip(file, "it is no backup of adopt");
      return [];
    }
    const doubt = pathState(attachment.netns) === "gone" ? undefined : `${attachment.netns} is still there`;
    return { ...thingOf("backup", { ...attachment, file, text }), doubt };
  });
}

function resultBefore(file: string, text: string): CachedAttachment | undefined {
  const { before } = parseJsonObject(text) ?? {};
  const attachment = parseCachedResult(file, typeof before === "string" ? before : "");
  return isAttachment(attachment) ? attachment : undefined;
}

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
