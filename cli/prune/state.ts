import { isContainerInterface } from "../../shared/protocol/result.ts";
import { addressesOf, type Link } from "../host/links.ts";
import { namespacePath, type PathState } from "../live/namespaces.ts";
import { addressesOfKnown, hostEndsOf, inodesOf, isNamedIn, type Known, namespacesOf, plainAddress } from "./known.ts";

/** Whether an attachment's namespace is there. `unknown` counts as there. */
export type AttachmentState =
  | { readonly is: "live" | "gone"; readonly why?: undefined }
  | { readonly is: "unknown"; readonly why: string };

/** A network namespace of the host, other than the host's own. */
export interface Namespace {
  readonly inode: number;
  /** Its paths, and one of a process in it. */
  readonly paths: readonly string[];
  /** Undefined if it cannot be read. */
  readonly links: readonly Link[] | undefined;
}

/** What the kernel says about namespaces and links. */
export interface KernelState {
  /** What a path is: for an attachment, its own namespace or none. */
  readonly pathState: (path: string, known?: Known) => PathState;
  readonly namespaces: readonly Namespace[];
  /** The links of the host that have their other end in a namespace. */
  readonly hostEnds: readonly Link[];
  readonly bootId: string | undefined;
  /** Results and journals that cannot be read, by path. They may belong to a live container. */
  readonly unreadable: readonly string[];
}

/**
 * Decides for each attachment whether its namespace is gone. A path that is no namespace does not suffice: a process can live
 * on in a namespace without a path. And a container is gone only with all its attachments.
 */
export function statesOf(knowns: readonly Known[], host: KernelState): ReadonlyMap<Known, AttachmentState> {
  const byPath = new Map(knowns.map((known) => [known, stateOfPaths(known, host)]));
  const unclaimed = unclaimedNamespaces(byPath, host);
  const own = new Map([...byPath].map(([known, state]) => [known, withTraces(known, state, unclaimed, host)]));
  const alive = new Set([...own].flatMap(([{ containerId }, { is }]) => (is === "gone" ? [] : containerId)));
  const why = "another attachment of its container is not gone";
  // guard: an attachment of a container that has another live one
  const isDoubtful = (known: Known, { is }: AttachmentState) => is === "gone" && alive.has(known.containerId);
  return new Map([...own].map(([known, state]) => [known, isDoubtful(known, state) ? { is: "unknown", why } : state]));
}

/** The namespaces that no live attachment names. */
export function unclaimedNamespaces(
  states: ReadonlyMap<Known, AttachmentState>,
  { namespaces }: Pick<KernelState, "namespaces">,
): readonly Namespace[] {
  const live = [...states].filter(([, { is }]) => is === "live");
  const claimed = new Set(live.flatMap(([known]) => namespacesOf(known).map(namespacePath)));
  // guard: a namespace that no live attachment names counts as anyone's
  return namespaces.filter(({ paths }) => !paths.some((path) => claimed.has(namespacePath(path))));
}

/** The addresses in namespaces, as `plainAddress` spells them. */
export function addressesInNamespaces(namespaces: readonly Namespace[]): ReadonlySet<string> {
  return new Set(namespaces.flatMap(({ links = [] }) => links.flatMap(addressesOf)).map(plainAddress));
}

function stateOfPaths(known: Known, { pathState }: KernelState): AttachmentState {
  const paths = namespacesOf(known);
  const states = paths.map((path) => pathState(path, known));
  // guard: an attachment with one path that is there
  if (states.includes("live")) return { is: "live" };
  // guard: an attachment whose namespace nothing names
  if (paths.length === 0) return { is: "unknown", why: "nothing names its namespace" };
  const unreadable = paths[states.indexOf("unreadable")];
  // guard: an attachment whose path cannot be read
  return unreadable === undefined ? { is: "gone" } : { is: "unknown", why: `${unreadable} cannot be read` };
}

function withTraces(
  known: Known,
  state: AttachmentState,
  unclaimed: readonly Namespace[],
  host: KernelState,
): AttachmentState {
  if (state.is !== "gone") return state;
  const hidden = unread(known.containerId, host);
  // guard: an attachment of which something cannot be read
  if (hidden !== undefined) return { is: "unknown", why: hidden };
  const inodes = inodesOf(known, host.bootId);
  const own = unclaimed.find(({ inode }) => inodes.includes(inode));
  // guard: an attachment whose namespace lives without a path
  if (own) return { is: "unknown", why: `its namespace lives on: ${own.paths[0]}` };
  const isOwn = ownLinksOf(known);
  const home = unclaimed.find(({ links = [] }) => links.some(isOwn));
  // guard: an attachment whose interface is in some namespace
  if (home) return { is: "unknown", why: `its interface is in ${home.paths[0]}` };
  const end = hostEndsOf(known).find(({ name, mac }) =>
    host.hostEnds.some((link) => link.ifname === name && isMac(link, mac)),
  );
  // guard: an attachment whose host-side interface is there
  return end ? { is: "unknown", why: `the host's end of its interface is still there: ${end.name}` } : state;
}

/** Says what cannot be read and may name or have something of a container; undefined if there is nothing like that. */
export function unread(
  containerId: string,
  { unreadable, namespaces }: Pick<KernelState, "unreadable" | "namespaces">,
): string | undefined {
  const faulty = unreadable.find((file) => isNamedIn(file, containerId));
  // guard: what a file that cannot be read may name
  if (faulty !== undefined) return `${faulty} cannot be read`;
  const isUnread = namespaces.some(({ links }) => links === undefined);
  // guard: what a namespace that cannot be read may use
  return isUnread ? "a network namespace of this host cannot be read" : undefined;
}

// A plugin may write it in capital letters.
function isMac({ address }: Link, mac: string): boolean {
  return address === mac.toLowerCase();
}

/** Returns a function that tells whether a link is the interface of an attachment. */
function ownLinksOf(known: Known): (link: Link) => boolean {
  const interfaces = (known.result?.result?.interfaces ?? []).filter(isContainerInterface);
  const addresses = addressesOfKnown(known);
  return (link) => {
    if (link.ifname === "lo") return false;
    const isReported = interfaces.some(({ name, mac }) => name === link.ifname && mac && isMac(link, String(mac)));
    return isReported || addressesOf(link).some((address) => addresses.includes(plainAddress(address)));
  };
}
