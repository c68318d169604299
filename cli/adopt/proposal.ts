import { delimiter } from "node:path";
import { ipName } from "../../shared/attachment/subnet.ts";
import { addressesIn } from "../../shared/delegate/taken-addresses.ts";
import { readFile, stat } from "../../shared/host/node/files.ts";
import { checksumOf, type Entry, journalFile, type Line, namespaceOf } from "../../shared/journal/journal.ts";
import { beganLine, linesText } from "../../shared/journal/lines.ts";
import { type CniResult, type Interface, isContainerInterface } from "../../shared/protocol/result.ts";
import { addressesOf, type ContainerLinks, hostEnd, type Link, readContainerLinks } from "../host/links.ts";
import { keyOf, Memory } from "../host/memory.ts";
import { readPluginFolder } from "../host/read-plugin-folder.ts";
import { ipamTypeOf, leasesOf } from "../lists/ipam.ts";
import { deviceName, type ListedPlugin, listFrom, reportedBy } from "../lists/list.ts";
import { type CachedAttachment, interfaceNames } from "../live/cached-results.ts";
import { type CheckOptions, checkOnHost, networkOf, type Verdict } from "../live/check.ts";
import { familyIn, withSortedKeys } from "../live/libcni.ts";
import { namespacePath, pathStateAt } from "../live/namespaces.ts";
import type { Network } from "../live/networks.ts";
import type { Workload } from "../live/workload.ts";
import { leaseDirectories } from "../prune/survey.ts";

/** What `adopt` would do about an attachment. */
export type Proposal =
  /** CHECK passes already. */
  | { readonly is: "fine" }
  /** The namespace is gone, or the runtime runs no CHECK. */
  | { readonly is: "unchecked" }
  /** CHECK passes with this result. */
  | { readonly is: "adoptable"; readonly result: CniResult; readonly journal: MissingJournal | undefined }
  /** CHECK fails, and no result makes it pass. `error` is CHECK's, `cure` what to change in the list. */
  | { readonly is: "lost"; readonly error: string; readonly cure?: string | undefined }
  /** CHECK passes with a result, but with it the CHECK of the list in place would fail, which passes now. `error` is that one's. */
  | { readonly is: "later"; readonly error: string }
  /** Nobody can tell whether a result makes CHECK pass. */
  | { readonly is: "unseen"; readonly error: string }
  /** The files could not be written. */
  | { readonly is: "unwritten"; readonly error: string };

/** An attachment, and what adopt does about it. */
export interface Case {
  readonly attachment: CachedAttachment;
  readonly workload: Workload;
  readonly proposal: Proposal;
}

/** What a proposal is made from. */
export interface Evidence {
  readonly network: Network | undefined;
  /** Reads the links. It is called only if CHECK fails. */
  readonly readLinks: () => Promise<ContainerLinks | undefined>;
  /** Whether another attachment has the interface of this name. It would lose it with this one's DEL. */
  readonly isClaimed: (name: string) => boolean;
  /** Runs CHECK on an attachment, with the result in it. */
  readonly check: RunCheck;
  /** The same with the list in place, if `check` uses another one. The client may restart before that one is in place. */
  readonly checkInPlace?: RunCheck | undefined;
}

/** Runs CHECK on an attachment, with the result in it. */
type RunCheck = (attachment: CachedAttachment) => Promise<Verdict>;

/** Finds a result with which CHECK of a live attachment passes. `known` is the verdict of its CHECK now, if somebody has run it. */
export async function proposalFor(
  attachment: CachedAttachment,
  evidence: Evidence,
  known?: Verdict,
): Promise<Proposal> {
  const verdict = known ?? (await evidence.check(attachment));
  // guard: a result whose CHECK passes
  if (verdict.is === "passes") return { is: "fine" };
  // guard: a result that no CHECK was run on
  if (verdict.is !== "fails") return { is: "unchecked" };
  const { error, cure } = verdict;
  const lost = { is: "lost", error, cure } as const;
  const { network, readLinks, isClaimed, check } = evidence;
  if (!network || !attachment.result) return lost;
  const links = await readLinks();
  if (!links) {
    // No result makes CHECK find a namespace that lives elsewhere.
    if (pathStateAt(attachment.netns) === "gone") return lost;
    return {
      is: "unseen",
      error: `its interfaces cannot be read: ip(8), nsenter(1) or lsns(1) is missing, or fails: ${error}`,
    };
  }
  // guard: an interface of another attachment
  const creators = network.list.plugins.filter(({ role, ifName }) => role === "creator" && !isClaimed(ifName));
  const result = completeResult(attachment.result, attachment.netns, creators, links);
  if (!result) return lost;
  const again = await check({ ...attachment, result });
  // guard: no result is proposed whose CHECK fails
  if (again.is !== "passes") return lost;
  const problem = await problemInPlace(attachment, result, evidence.checkInPlace);
  if (problem !== undefined) return { is: "later", error: problem };
  return { is: "adoptable", result, journal: missingJournal(attachment, creators, links) };
}

/** Returns the error of the list in place that a new result causes; undefined if that list fails anyway, or does not mind. */
async function problemInPlace(
  attachment: CachedAttachment,
  result: CniResult,
  checkInPlace: RunCheck | undefined,
): Promise<string | undefined> {
  if (!checkInPlace) return undefined;
  const after = await checkInPlace({ ...attachment, result });
  return after.is === "fails" && (await checkInPlace(attachment)).is !== "fails" ? after.error : undefined;
}

/**
 * Returns a result that also has the interfaces and addresses of the list's creators that it lacks. Everything that it has
 * stays as it is. Only an interface that is in the namespace is added. Returns undefined if nothing is missing.
 */
function completeResult(
  result: CniResult,
  netns: string,
  creators: readonly ListedPlugin[],
  links: ContainerLinks,
): CniResult | undefined {
  const completed = creators.reduce((whole, creator) => {
    const link = links.inside.find(({ ifname }) => ifname === creator.ifName);
    // guard: no interface is added that is not in the namespace
    return link ? withLink(whole, netns, link, hostInterfaces(creator, link, links)) : whole;
  }, result);
  return completed === result ? undefined : completed;
}

function withLink(result: CniResult, netns: string, link: Link, host: readonly Interface[]): CniResult {
  const known = result.interfaces ?? [];
  const isLink = (one: Interface) => isContainerInterface(one) && one.name === link.ifname;
  const added = [...host, { name: link.ifname, mac: link.address ?? "", sandbox: netns }];
  const interfaces = known.some(isLink) ? known : [...known, ...added];
  const own = interfaces.findIndex(isLink);
  const ips = result.ips ?? [];
  const missing = addressesOf(link).filter((address) => !ips.some((ip) => ip.address === address));
  if (interfaces === known && missing.length === 0) return result;
  const addedIps = missing.map((address) => ({ ...familyIn(result.cniVersion, address), address, interface: own }));
  return { ...result, interfaces, ips: [...ips, ...addedIps] };
}

/** The host-side devices that a creator reports before its container interface. */
function hostInterfaces(
  { delegate, configuration }: ListedPlugin,
  link: Link,
  links: ContainerLinks,
): readonly Interface[] {
  const found = (reportedBy(delegate).hostSide ?? []).map((device) => {
    const name = deviceName(device, configuration);
    // A device that the plugin invents is the other end of the container's veth.
    return name === undefined ? hostEnd(link, links) : links.host.find(({ ifname }) => ifname === name);
  });
  return found.filter((one) => one !== undefined).map(({ ifname, address = "" }) => ({ name: ifname, mac: address }));
}

/** Returns a function that tells what a proposal for an attachment is made from on this host. `all` are those of every network. */
export function evidenceOn(
  all: readonly CachedAttachment[],
  check: CheckOptions,
): (attachment: CachedAttachment) => Evidence {
  // Most hosts have nothing to adopt. Then nobody needs the addresses.
  let isOwn: IsOwnAddress | undefined;
  return (attachment) => ({
    network: networkOf(attachment, check),
    readLinks: async () => {
      const links = await readContainerLinks(attachment.netns);
      isOwn ??= readOwnAddresses(all, check);
      return links && withoutForeignAddresses(links, attachment, isOwn);
    },
    isClaimed: (name) => isClaimed(name, attachment, all),
    check: (one) => checkOnHost(one, check),
  });
}

/** Returns a function that tells whether CHECK can be asked about a live attachment: its list, namespace and plugins are there. */
export function askableOn(check: CheckOptions, directory: string): (attachment: CachedAttachment) => boolean {
  const plugins = readPluginFolder(check.cniPath.join(delimiter), directory);
  const isThere = ({ type, delegate, isWrapped, configuration }: ListedPlugin) => {
    const [found, ipam] = [plugins.find(type), ipamTypeOf(configuration)];
    if (!found || (ipam !== undefined && !plugins.find(ipam))) return false;
    return !isWrapped || plugins.findDelegate(delegate, found) !== undefined;
  };
  return (attachment) =>
    pathStateAt(attachment.netns) !== "gone" && (networkOf(attachment, check)?.list.plugins.every(isThere) ?? false);
}

/** Whether another attachment to the same namespace has an interface of this name. */
export function isClaimed(
  name: string,
  { file, netns }: Pick<CachedAttachment, "file" | "netns">,
  attachments: readonly CachedAttachment[],
): boolean {
  // guard: an interface that a sibling's result has
  const others = attachments.filter((one) => one.file !== file && namespacePath(one.netns) === namespacePath(netns));
  // guard: an interface that a sibling's result has
  return others.some((one) => one.runtimeIfName === name || interfaceNames(one).includes(name));
}

/** Leaves out the addresses that no plugin gave. A result that names them fails CHECK when they move to another container. */
function withoutForeignAddresses(
  links: ContainerLinks,
  attachment: CachedAttachment,
  isOwn: IsOwnAddress,
): ContainerLinks {
  const inside = links.inside.map((link) => {
    // guard: an address that no lease gave
    return { ...link, addr_info: (link.addr_info ?? []).filter(({ local }) => isOwn(local, attachment, link.ifname)) };
  });
  return { ...links, inside };
}

/** Whether an address is the one of an attachment's interface. */
type IsOwnAddress = (address: string, attachment: CachedAttachment, ifName: string) => boolean;

/**
 * Reads who names which address. An interface's own are those of its leases that no other lease, journal or result names: a
 * container can add any other address to its interface, and DEL removes the packet rules of every address in a result.
 */
function readOwnAddresses(results: readonly CachedAttachment[], { networks }: CheckOptions): IsOwnAddress {
  const memory = new Memory();
  const holders = new Map<string | undefined, Set<string>>();
  const add = (addresses: readonly string[], holder: string) => {
    for (const name of addresses.map(ipName)) holders.set(name, (holders.get(name) ?? new Set()).add(holder));
  };
  const folders = memory.leaseFolders(leaseDirectories([...networks.values()].map(({ list }) => list)));
  for (const { address, containerId, ifName } of folders.flatMap((folder) => memory.leases(folder)))
    add([address], leaseOf(containerId, ifName));
  for (const { key, entries } of memory.journals())
    for (const { isUndone, done, configuration } of entries)
      if (!isUndone) add([...(done?.addresses ?? []), ...addressesIn(configuration.prevResult)], keyOf(key)); // guard: an address that a journal names
  for (const { key, result } of memory.allResults()) add(addressesIn(result), keyOf(key));
  for (const one of results) add(addressesIn(one.result), keyOf(one));
  return (address, attachment, ifName) => {
    const lease = leaseOf(attachment.containerId, ifName);
    const found = [...(holders.get(ipName(address)) ?? [])];
    // guard: an address that is another attachment's, too
    return found.includes(lease) && found.every((holder) => holder === lease || holder === keyOf(attachment));
  };
}

function leaseOf(containerId: string, ifName: string): string {
  return `lease ${containerId} ${ifName}`;
}

/** The journal that a live attachment lacks. */
export type MissingJournal = NonNullable<ReturnType<typeof missingJournal>>;

/**
 * Returns the journal that the wrapped creators of a list would have left, if they had made the interfaces in the namespace;
 * undefined if there is one, or nothing to write in it. Its entries are as old as libcni's result.
 */
export function missingJournal(attachment: CachedAttachment, creators: readonly ListedPlugin[], links: ContainerLinks) {
  const file = journalFile(attachment);
  // guard: a journal that is there
  if (readFile(file) !== undefined) return undefined;
  const wrapped = creators.filter(({ isWrapped }) => isWrapped);
  const lines = wrapped.flatMap((creator) => entryLines(attachment, creator, links));
  return lines.length === 0 ? undefined : { file, text: linesText(lines) };
}

function entryLines(attachment: CachedAttachment, creator: ListedPlugin, { inside }: ContainerLinks): readonly Line[] {
  const moment = new Memory().moment();
  const namespace = namespaceOf(attachment.netns, stat(attachment.netns));
  const link = inside.find(({ ifname }) => ifname === creator.ifName);
  const result = stat(attachment.file);
  // The container ended meanwhile.
  if (!moment || !namespace || !link || !result) return [];
  const { network, containerId, runtimeIfName, args } = attachment;
  const { delegate, ifName, wrapper, configuration, isRenamed } = creator;
  const { wrapper: _, ...own } = configuration;
  const { cniVersion } = (attachment.list && listFrom(attachment.list)) ?? {};
  const delegateNetwork = leasedNetwork(attachment, creator);
  const uptime = Math.max(0, moment.uptime - (Date.now() - result.modifiedMs) / 1000);
  const id = `adopted-${ifName}`;
  const entry: Omit<Entry, "isGivenUp" | "isUndone"> = {
    ...{ network, containerId, runtimeIfName, id, type: delegate, role: "creator", ifName, delegateNetwork },
    ...{ bootId: moment.bootId, uptime, namespace, before: 0, path: "" },
    args: isRenamed ? "" : args.map((pair) => pair.join("=")).join(";"),
    checksum: checksumOf(withSortedKeys({ ...configuration, name: network })),
    wrapper,
    configuration: { cniVersion, ...own, name: delegateNetwork, type: delegate },
  };
  return [beganLine(entry), { line: "done", id, made: link.ifindex, addresses: addressesOf(link) }];
}

/** The network under which the creator's lease is: the wrapper's own, or the list's, where a script left it. */
function leasedNetwork({ containerId, network: listed }: CachedAttachment, creator: ListedPlugin): string {
  const isIn = (network: string) => {
    const leases = new Memory().leases(leasesOf({ ...creator, network }));
    return leases.some((lease) => lease.containerId === containerId && lease.ifName === creator.ifName);
  };
  return [creator.network, listed].find(isIn) ?? creator.network;
}
