import { CniError } from "../protocol/errors.ts";
import { type CniResult, type Interface, type IpConfig, isContainerInterface } from "../protocol/result.ts";

/** One attachment of a result: its container interface and the host-side ones that belong to it, as indexes into `interfaces`. */
export interface Attachment {
  /** Undefined if its plugin reported addresses but no container interface. */
  readonly container: number | undefined;
  /** The container interface and the host-side ones, in the result's order. */
  readonly members: readonly number[];
}

/** An attachment whose container interface the result lists. */
export interface ListedAttachment extends Attachment {
  readonly container: number;
}

/** Selects an attachment, and names the owner of addresses without `interface`. */
export interface AttachmentSelector {
  readonly ifName: string;
  /** CNI_NETNS: decides if several sandboxes have an interface of that name. */
  readonly netns: string;
  /** The runtime's own CNI_IFNAME. An address without `interface` belongs to it, as in go-cni. */
  readonly runtimeIfName: string;
}

/**
 * Returns the attachments of a result, in order: each container interface with the host-side interfaces right before it.
 * Those after the last container interface belong to the last attachment: bridge with `vlan`, and bandwidth, put one there.
 */
export function attachmentsOf(interfaces: readonly Interface[]): ListedAttachment[] {
  const attachments: { container: number; members: number[] }[] = [];
  let run: number[] = [];
  let index = 0;
  for (const candidate of interfaces) {
    run.push(index);
    if (isContainerInterface(candidate)) {
      attachments.push({ container: index, members: run });
      run = [];
    }
    index++;
  }
  const last = attachments.at(-1);
  if (last) for (const left of run) last.members.push(left);
  return attachments;
}

/** Finds the attachment whose container interface has the name: among several the one in the network namespace, else the first. */
export function findAttachment(result: CniResult, ifName: string, netns: string): ListedAttachment | undefined {
  const interfaces = result.interfaces ?? [];
  let first: ListedAttachment | undefined;
  for (const attachment of attachmentsOf(interfaces)) {
    const container = interfaces[attachment.container];
    if (container?.name !== ifName) continue;
    if (container.sandbox === netns) return attachment;
    first ??= attachment;
  }
  return first;
}

/**
 * Returns the attachment that a delegate works on. The runtime's own interface may be unlisted: plugins like Calico report
 * addresses, but no container interface. Its addresses are then those that belong to no container interface. The host-side
 * interfaces of these addresses belong to no other attachment.
 */
export function ownAttachment(result: CniResult, selector: AttachmentSelector): Attachment | undefined {
  const { ifName, netns, runtimeIfName } = selector;
  const found = findAttachment(result, ifName, netns);
  const isRuntimes = ifName === runtimeIfName;
  if (isRuntimes && found) return found;
  const unlisted = unlistedAttachment(result, runtimeIfName);
  if (found === undefined) return isRuntimes ? unlisted : undefined;
  // The unlisted one has the first interfaces.
  return unlisted ? { ...found, members: found.members.filter((index) => index >= unlisted.members.length) } : found;
}

// Its host-side interfaces can only come first: every other plugin of the chain reports its container interface.
function unlistedAttachment({ interfaces, ips }: CniResult, runtimeIfName: string): Attachment | undefined {
  const all = interfaces ?? [];
  if (all.some((one) => isContainerInterface(one) && one.name === runtimeIfName)) return undefined;
  const first = all.findIndex(isContainerInterface);
  const own = (ips ?? []).map((ip) => ip.interface ?? -1).filter((index) => index < first);
  if (own.length === 0) return undefined;
  const highest = own.reduce((one, other) => Math.max(one, other));
  return { container: undefined, members: [...all.keys()].slice(0, highest + 1) };
}

/** Returns the names of a result's container interfaces. */
export function containerInterfaceNames(result: CniResult): string[] {
  return (result.interfaces ?? []).filter(isContainerInterface).map(({ name }) => name);
}

/**
 * Returns a function that tells whether an address of the result belongs to an attachment. An address of no interface, or of a
 * host-side one, belongs to no attachment unless the container interface has no address of its own.
 */
export function ownership(result: CniResult, attachment: Attachment, { netns, runtimeIfName }: AttachmentSelector) {
  const containers = attachment.members.filter((index) => isContainerInterface(result.interfaces?.[index]));
  const isAddressed = (result.ips ?? []).some(({ interface: index }) => containers.includes(index ?? -1));
  const owners = new Set(isAddressed ? containers : attachment.members);
  let isRuntimes: boolean | undefined;
  return ({ interface: index }: IpConfig): boolean => {
    if (typeof index === "number") return owners.has(index);
    if (isAddressed) return false;
    // Both are undefined if the runtime's interface is unlisted and this is its attachment.
    isRuntimes ??= findAttachment(result, runtimeIfName, netns)?.container === attachment.container;
    return isRuntimes;
  };
}

/** Returns the error for an interface that prevResult does not list. */
export function missingAttachment(ifName: string, others: readonly string[]): CniError {
  return new CniError("attachmentMissing", ifName, `prevResult has ${others.join(", ")}`);
}

/** A container interface that a chained plugin added to its attachment. Its name and sandbox identify it. */
export interface AddedInterface {
  readonly name: string;
  readonly sandbox: string;
}

/** Returns the container interfaces of a chained plugin's answer that its attachment did not have. */
export function addedInterfaces(
  prevResult: CniResult,
  attachment: Attachment,
  delegateResult: CniResult,
): AddedInterface[] {
  const before = attachment.members.map((index) => prevResult.interfaces?.[index]);
  return (delegateResult.interfaces ?? [])
    .filter(isContainerInterface)
    .filter(({ name, sandbox }) => !before.some((one) => one?.name === name && one.sandbox === sandbox))
    .map(({ name, sandbox }) => ({ name, sandbox: sandbox as string }));
}

/** Returns the attachment with those of the added interfaces that the result lists, in the result's order. */
export function withAdded(result: CniResult, attachment: Attachment, added: readonly AddedInterface[]): Attachment {
  const found = added.flatMap(({ name, sandbox }) => {
    const own = findAttachment(result, name, sandbox);
    return own && result.interfaces?.[own.container]?.sandbox === sandbox ? own.members : [];
  });
  if (found.length === 0) return attachment;
  const members = new Set([...attachment.members, ...found]);
  return { ...attachment, members: [...members].sort((one, other) => one - other) };
}

/** Returns a narrowed prevResult with the interfaces that a try which was not completed added. */
export function withInterfaces(prevResult: CniResult, added: readonly AddedInterface[]): CniResult {
  if (added.length === 0) return prevResult;
  const interfaces: readonly Interface[] = [...(prevResult.interfaces ?? []), ...added.map((one) => ({ ...one }))];
  return { ...prevResult, interfaces };
}

/** Returns the addresses of an attachment, such as `172.26.64.2/20`; all of a result that does not list its interface. */
export function addressesOf(result: CniResult, selector: AttachmentSelector): string[] {
  const { ips } = result;
  const attachment = ownAttachment(result, selector);
  const own = attachment ? (ips ?? []).filter(ownership(result, attachment, selector)) : (ips ?? []);
  return own.map(({ address }) => address);
}
