import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { readFile } from "../../shared/host/node/files.ts";
import { parseJsonObject } from "../../shared/protocol/json.ts";
import { Memory } from "../host/memory.ts";
import type { List } from "../lists/list.ts";
import { type CachedAttachment, isAttachment, parseCachedResult } from "../live/cached-results.ts";
import { reasonOf, withPath } from "../trouble.ts";
import type { Survey } from "./findings.ts";
import type { HostNamespaces } from "./host-namespaces.ts";
import {
  attachmentOf,
  fileName,
  type Known,
  knownsIn,
  networksOf,
  type RememberedFile,
  type ResultFile,
} from "./known.ts";
import { holdersOf, leaseDirectories, readLeases } from "./read-leases.ts";
import { linksOfContainers, readHostLinks, readRules } from "./read-rules.ts";
import { statesOf } from "./state.ts";
import type { Kind, Thing } from "./thing.ts";

/** Where a survey looks. */
export interface Places {
  readonly cacheDirectory: string;
  /** The lists that the runtime would load. */
  readonly lists: readonly List[];
}

/** Reads everything that belongs to attachments on this host. `leaveOut` gets a line about each result or journal that cannot be read. */
export function surveyOf(
  { cacheDirectory, lists }: Places,
  { namespaces, pathState }: HostNamespaces,
  leaveOut: (file: string, reason: string) => void,
): Survey {
  const unreadable: string[] = [];
  const skip = (file: string, reason: string) => {
    unreadable.push(file);
    leaveOut(file, reason);
  };
  const results = readResults(join(cacheDirectory, "results"), skip);
  const remembered = readRemembered(skip);
  const knowns = knownsIn(results, remembered);
  const links = readHostLinks();
  const rules = readRules(links);
  const hostEnds = links.filter((link) => link.link_netnsid !== undefined && link.linkinfo?.info_kind === "veth");
  const atAdd = knowns.flatMap(({ list }) => list ?? []);
  const directories = leaseDirectories([...lists, ...atAdd]);
  const now = Date.now();
  return {
    states: statesOf(knowns, { pathState, namespaces, hostEnds, unreadable }),
    namespaces,
    things: [
      ...rules.things,
      ...linksOfContainers(links),
      ...directories.flatMap((directory) => readLeases(directory, now)),
      ...readBackups(cacheDirectory, results, pathState),
      ...remembered.map((one) => thingOf("journal", one, attachmentOf(one))),
      ...results.map(({ text, attachment }) => thingOf("result", { file: attachment.file, text }, attachment)),
    ],
    networks: new Map([...knowns.flatMap(delegatesOf), ...lists.flatMap(delegatesOfList)]),
    unreadable,
    problems: rules.problems,
    holdersOf: (address) => holdersOf(address, directories),
  };
}

function thingOf(
  kind: Kind,
  { file, text }: { readonly file: string; readonly text: string },
  named: Pick<Known, "network" | "containerId" | "ifName">,
): Thing {
  const { network, containerId } = named;
  const removal = { by: "unlink", file, text } as const;
  return { kind, where: file, name: fileName(named), network, containerId, addresses: [], removal };
}

function delegatesOf(known: Known): readonly (readonly [string, string])[] {
  return networksOf(known).map((name) => [name, known.network]);
}

function delegatesOfList({ name = "", plugins }: List): readonly (readonly [string, string])[] {
  return [[name, name], ...plugins.map(({ network }) => [network, name] as const)];
}

function readResults(directory: string, skip: (file: string, reason: string) => void): readonly ResultFile[] {
  return filesIn(directory, skip).flatMap(({ file, text }) => {
    const attachment = parseCachedResult(file, text);
    if (isAttachment(attachment)) return [{ text, attachment }];
    skip(file, attachment.reason);
    return [];
  });
}

function readRemembered(skip: (file: string, reason: string) => void): readonly RememberedFile[] {
  const files = new Memory().files((file) => skip(file, "it does not say whose it is"));
  return files.flatMap((one) => {
    const { file, journal } = one;
    if (journal?.problem !== undefined) skip(file, journal.problem);
    const text = readFile(file);
    // It went away meanwhile.
    return text === undefined ? [] : [{ ...one, text }];
  });
}

// adopt keeps the backup of a result under the result's name. DEL removes only the result.
function readBackups(
  cacheDirectory: string,
  results: readonly ResultFile[],
  pathState: HostNamespaces["pathState"],
): readonly Thing[] {
  const byName = new Map(results.map(({ attachment }) => [basename(attachment.file), attachment]));
  return filesIn(join(cacheDirectory, "adopted"), () => {}).flatMap(({ file, text }) => {
    const attachment = byName.get(basename(file)) ?? resultBefore(file, text);
    if (!attachment) return [];
    const doubt = pathState(attachment.netns) === "gone" ? undefined : `${attachment.netns} is still there`;
    return { ...thingOf("backup", { file, text }, attachment), doubt };
  });
}

function resultBefore(file: string, text: string): CachedAttachment | undefined {
  const { before } = parseJsonObject(text) ?? {};
  const attachment = parseCachedResult(file, typeof before === "string" ? before : "");
  return isAttachment(attachment) ? attachment : undefined;
}

interface TextFile {
  readonly file: string;
  readonly text: string;
}

function filesIn(directory: string, skip: (file: string, reason: string) => void): readonly TextFile[] {
  // Names that begin with a dot are files that a killed process did not finish.
  const names = withPath(directory, () => namesIn(directory)).filter((name) => !name.startsWith("."));
  return names.flatMap((name) => {
    const file = join(directory, name);
    try {
      return [{ file, text: readFileSync(file, "utf8") }];
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // It went away meanwhile.
      if (code !== "ENOENT") skip(file, reasonOf(error as NodeJS.ErrnoException));
      return [];
    }
  });
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
