import { dirname } from "node:path";
import type { Entry } from "../../shared/journal/journal.ts";
import { entriesIn, type LeaveOut, Memory, stateDirectory } from "../host/memory.ts";
import { type List, listFrom } from "../lists/list.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import { pathStateAt } from "../live/namespaces.ts";
import { workloadOf } from "../live/workload.ts";

/** A running container that the wrappers attached. */
export interface Use {
  readonly network: string;
  readonly containerId: string;
  /** The name that its runtime gives it, or the start of its id. */
  readonly name: string;
  /** The directory of the plugins that its wrappers ran; undefined without a journal, and if adopt wrote it. */
  readonly plugins?: string | undefined;
}

/**
 * Finds the running containers that need the wrappers: from the runtime's results, from the wrappers' journals, and from the
 * lists in place. `wrapped` names their networks: CHECK and DEL use the list in place, whatever ADD used. `leaveOut` gets each journal
 * that cannot be read.
 */
export function usesAmong(
  attachments: readonly CachedAttachment[],
  wrapped: ReadonlySet<string>,
  { leaveOut, state = stateDirectory }: { readonly leaveOut: LeaveOut; readonly state?: string },
): readonly Use[] {
  const uses = new Map<string, Use>();
  for (const { network, containerId, path } of liveEntries(new Memory(state), leaveOut))
    uses.set(`${network} ${containerId}`, {
      network,
      containerId,
      name: containerId.slice(0, 12),
      plugins: path === "" ? undefined : dirname(path),
    });
  for (const attachment of attachments) {
    const { network, containerId, netns, list } = attachment;
    const key = `${network} ${containerId}`;
    // A namespace that cannot be looked at may be there.
    // guard: the wrappers of a running container
    if (pathStateAt(netns) !== "gone" && (uses.has(key) || wrapped.has(network) || isWrapped(list && listFrom(list))))
      uses.set(key, { ...uses.get(key), network, containerId, name: workloadOf(attachment).name });
  }
  return [...uses.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Whether a list names a wrapper, or has a block for one that stands in for the plugin. */
export function isWrapped(list: List | undefined): boolean {
  return list?.plugins.some((one) => one.isWrapped || one.configuration.wrapper !== undefined) ?? false;
}

/** Whether a list has a jq program for a wrapper, which only the Node flavor runs. */
export function hasJq({ plugins }: List): boolean {
  return plugins.some(({ wrapper }) => wrapper.jq !== undefined);
}

/** Reads the entries of this boot whose namespaces are still there. */
function liveEntries(memory: Memory, leaveOut: LeaveOut): readonly Entry[] {
  const bootId = memory.moment()?.bootId;
  // guard: the wrappers of a container that only a journal names
  const journals = memory.files(leaveOut).flatMap(({ journal }) => journal ?? []);
  return entriesIn(journals).filter((entry) => entry.bootId === bootId && memory.isThere(entry.namespace));
}
