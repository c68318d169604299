import { CniError } from "../protocol/errors.ts";
import { type CniResult, type Interface, type IpConfig, isContainerInterface } from "../protocol/result.ts";

/**
 * One attachment of a result: its container interface and the host-side interfaces that come with it. All are indexes into
 * `interfaces`.
 */
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

/** Which attachment is meant, and whose an address without `interface` is. */
export interface AttachmentSelector {
  readonly ifName: string;
  /** CNI_NETNS: decides where several sandboxes have an interface of that name. */
  readonly netns: string;
  /** The runtime's own CNI_IFNAME: an address without `interface` belongs to it, as go-cni reads it. */
  readonly runtimeIfName: string;
}

/**
 * The attachments of a result, in order: each container interface with the run of host-side interfaces right before it. A
 * run after the last container interface is of the last attachment: bridge with `vlan`, and bandwidth, put one there.
 */
export function attachmentsOf(interfaces: readonly Interface[]): ListedAttachment[] {
  const attachments: ListedAttachment[] = [];
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
  const last = attachments.pop();
  return last ? [...attachments, { container: last.container, members: [...last.members, ...run] }] : [];
}

/** The attachment whose container interface has the name; among several, that of the network namespace, else the first. */
export function findAttachment(result: CniResult, ifName: string, netns: string): ListedAttachment | undefined {
  const interfaces = result.interfaces ?? [];
  const named = attachmentsOf(interfaces).filter(({ container }) => interfaces[container]?.name === ifName);
  return named.find(({ container }) => interfaces[container]?.sandbox === netns) ?? named[0];
}

/**
 * The attachment that a delegate is shown. The runtime's own interface may be unlisted: its plugin reported addresses, but no
 * container interface, as Calico does. It then has the addresses that belong to no container interface, and the host-side
 * interfaces that they point to belong to no other attachment.
 */
export function ownAttachment(result: CniResult, selector: AttachmentSelector): Attachment | undefined {
  const found = findAttachment(result, selector.ifName, selector.netns);
  const unlisted = unlistedAttachment(result, selector.runtimeIfName);
  if (found === undefined) return selector.ifName === selector.runtimeIfName ? unlisted : undefined;
  return unlisted ? { ...found, members: found.members.filter((index) => !unlisted.members.includes(index)) } : found;
}

// Its host-side interfaces can only be the first of the list: every other plugin of the chain reports its container interface.
function unlistedAttachment({ interfaces, ips }: CniResult, runtimeIfName: string): Attachment | undefined {
  const all = interfaces ?? [];
  if (all.some((one) => isContainerInterface(one) && one.name === runtimeIfName)) return undefined;
  const first = all.findIndex(isContainerInterface);
  const own = (ips ?? []).map((ip) => ip.interface ?? -1).filter((index) => index < first);
  if (first < 0 || own.length === 0) return undefined;
  return { container: undefined, members: [...all.keys()].slice(0, Math.max(...own) + 1) };
}

/** The names of a result's container interfaces, for messages. */
export function containerInterfaceNames(result: CniResult): string[] {
  return (result.interfaces ?? []).filter(isContainerInterface).map(({ name }) => name);
}

/** Tells, for each address of a result, whether it belongs to an attachment. */
export function ownership(result: CniResult, attachment: Attachment, { netns, runtimeIfName }: AttachmentSelector) {
  let isRuntimes: boolean | undefined;
  return (ip: IpConfig): boolean => {
    if (typeof ip.interface === "number") return attachment.members.includes(ip.interface);
    // Both are undefined if the runtime's interface is unlisted and the attachment is its.
    isRuntimes ??= findAttachment(result, runtimeIfName, netns)?.container === attachment.container;
    return isRuntimes;
  };
}

/** The error for an interface that is not among those of prevResult. */
export function missingAttachment(ifName: string, others: readonly string[]): CniError {
  return new CniError("attachmentMissing", ifName, `prevResult has ${others.join(", ")}`);
}
