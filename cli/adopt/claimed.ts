import { type CachedAttachment, interfaceNames } from "../live/cached-results.ts";
import { namespacePath } from "../live/namespaces.ts";

/** Whether another attachment to the same namespace has an interface of this name. */
export function isClaimed(
  name: string,
  { file, netns }: Pick<CachedAttachment, "file" | "netns">,
  attachments: readonly CachedAttachment[],
): boolean {
  const others = attachments.filter((one) => one.file !== file && namespacePath(one.netns) === namespacePath(netns));
  return others.some((one) => one.runtimeIfName === name || interfaceNames(one).includes(name));
}
