import { type CniResult, type Interface, isContainerInterface } from "../../shared/protocol/result.ts";
import { addressesOf, type ContainerLinks, hostEnd, type Link } from "../host/links.ts";
import type { ListedPlugin } from "../lists/list.ts";
import { deviceName, reportedBy } from "../lists/reported.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import type { Verdict } from "../live/check.ts";
import { familyIn } from "../live/libcni.ts";
import { pathStateAt } from "../live/namespaces.ts";
import type { Network } from "../live/networks.ts";
import type { Workload } from "../live/workload.ts";
import { type MissingJournal, missingJournal } from "./journal.ts";

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

/**
 * Finds a result with which the CHECK of a live attachment passes. Only a result that passed CHECK is proposed. `known` is the
 * verdict of its CHECK now, if somebody has run it.
 */
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
