import type { Advice } from "../host/plugin-folder.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import type { Verdict } from "../live/check.ts";
import { isReady, type LookedAt } from "../live/every-attachment.ts";
import { type Installation, isSound } from "./installation.ts";
import type { narrowRuntimes } from "./narrow-runtimes.ts";
import type { repairedAdds } from "./repaired-adds.ts";

/** The state of a host in numbers. */
export interface HostStatus extends LookedAt {
  /** When the run ended, as ISO 8601. */
  readonly time: string;
  /** The wrappers in the directories of CNI_PATH. */
  readonly installations: readonly Installation[];
  readonly lists: {
    readonly files: number;
    /** A line for each file that no runtime loads. */
    readonly invalid: readonly string[];
    /** What lint says of them with this host's plugins and interfaces, and what else they need of it, a line for each error. */
    readonly errors: readonly string[];
    /** A line for each rule of lint that is switched off and has found an error. They do not count. */
    readonly switchedOff: readonly string[];
  };
  readonly networks: ReturnType<typeof countNetworks>;
  readonly orphans: {
    /** Attachments whose namespace is gone. */
    readonly results: number;
    /** Journals of the wrappers, and records of 0.2.0, without an attachment. */
    readonly journals: number;
  };
  /** Lists, results, journals and others that could not be looked at. */
  readonly unreadable: number;
  /** Why Nomad would skip CHECK on this host; null if it would not. */
  readonly nomadSkipsCheck: Advice | null;
  /** Runtimes whose limits end the Node flavor, if that is installed. */
  readonly narrowRuntimes: ReturnType<typeof narrowRuntimes>;
  /** Undefined without a log. */
  readonly repaired: Awaited<ReturnType<typeof repairedAdds>> | undefined;
}

/** An attachment that was looked at. */
export interface CheckedAttachment {
  readonly attachment: CachedAttachment;
  readonly verdict: Verdict;
  readonly lacksJournal: boolean;
}

/** Counts the attachments by network, in the order of the names. */
export function countNetworks(checked: readonly CheckedAttachment[]) {
  const byName = Map.groupBy(checked, ({ attachment }) => attachment.network);
  return [...byName.keys()].sort().map((network) => {
    const own = byName.get(network) ?? [];
    return {
      network,
      attachments: own.length,
      failing: own.filter(({ verdict }) => verdict.is === "fails").length,
      /** Nothing runs there. */
      gone: own.filter(({ verdict }) => verdict.is === "gone").length,
      /** They have an address outside of the list's subnets. */
      outside: own.filter(({ verdict }) => "outside" in verdict).length,
      /** They have a wrapped plugin in the list: nothing recovers them. */
      withoutJournal: own.filter(({ lacksJournal }) => lacksJournal).length,
    };
  });
}

/** Whether nothing that was looked at is left to do on the host. */
export function isWell(status: HostStatus): boolean {
  const { installations, lists, networks, orphans, narrowRuntimes } = status;
  // guard: a host with a broken installation is not called good
  const areSound = installations.every(isSound);
  // guard: a host with a failing attachment is not called good
  const passes = networks.every(({ failing, outside }) => failing === 0 && outside === 0);
  return (
    areSound &&
    lists.errors.length === 0 &&
    isReady(status) &&
    passes &&
    narrowRuntimes.length === 0 &&
    orphans.results === 0 &&
    orphans.journals === 0
  );
}
