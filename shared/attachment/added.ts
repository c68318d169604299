import { type CniResult, type Interface, isContainerInterface } from "../protocol/result.ts";
import { type Attachment, findAttachment } from "./attachments.ts";

/** A container interface that a meta plugin added to its attachment. Its name and sandbox identify it. */
export interface AddedInterface {
  readonly name: string;
  readonly sandbox: string;
}

/** Returns the container interfaces of a meta plugin's answer that its attachment did not have. */
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
  if (added.length === 0) return attachment;
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
