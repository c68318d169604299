import { keyOf, Memory, type MemoryFile } from "../host/memory.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import { readNamespaces } from "./host-namespaces.ts";
import { knownsIn } from "./known.ts";
import { type AttachmentState, statesOf } from "./state.ts";

/**
 * Returns a function that says why an attachment is not gone although its path leads to no namespace; it returns undefined if the
 * attachment is gone. The first call looks into the namespaces of the host.
 */
export function homesAmong(
  { all, memories }: { readonly all: readonly CachedAttachment[]; readonly memories: readonly MemoryFile[] },
  namespaces = readNamespaces,
): (attachment: CachedAttachment) => Promise<string | undefined> {
  let states: Promise<ReadonlyMap<string, AttachmentState>> | undefined;
  const look = async () => {
    const host = await namespaces();
    // A namespace that cannot be read is no sign of life.
    const read = host.namespaces.map((one) => ({ ...one, links: one.links ?? [] }));
    const bootId = new Memory().moment()?.bootId;
    const found = statesOf(knownsIn(all, memories), {
      ...host,
      namespaces: read,
      hostEnds: [],
      bootId,
      unreadable: [],
    });
    return new Map([...found].map(([known, state]) => [keyOf(known), state]));
  };
  return async (attachment) => {
    if (attachment.netns === "") return undefined;
    states ??= look();
    const state = (await states).get(keyOf(attachment));
    return state?.is === "live" ? "it is there for another process; run the command on the host itself" : state?.why;
  };
}
