import type { Advice } from "../host/plugin-folder.ts";
import { exposureCure } from "../install/place.ts";
import { releaseWords } from "../install/report.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import type { Verdict } from "../live/check.ts";
import { isReady, type LookedAt, lookedAtLines } from "../live/every-attachment.ts";
import { plainTable } from "../plain-table.ts";
import { type Colors, styled } from "../terminal.ts";
import { type Installation, isSound, type narrowRuntimes, neededAddressSpace } from "./installation.ts";
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

/** The status for people: the installation, a line for each network, and a line for everything else that is there. */
export function statusText(status: HostStatus, terminal: Colors): string {
  const { installations, lists, networks, orphans, unreadable, nomadSkipsCheck, narrowRuntimes, repaired } = status;
  const hasGone = networks.some(({ gone }) => gone > 0);
  const titles = ["network", "attachments", "failing", ...(hasGone ? ["gone"] : [])];
  const rows = networks.map(({ network, attachments, failing, gone }) => [
    network,
    String(attachments),
    failing === 0 ? "0" : styled(terminal, "red", String(failing)),
    ...(hasGone ? [String(gone)] : []),
  ]);
  const lines = [
    ...(installations.length === 0 ? ["no installation in the directories of the plugins"] : []),
    ...installations.flatMap((one) => installationLines(one, terminal)),
    "",
    ...lookedAtLines(status),
    `lists: ${lists.files}`,
    ...[...lists.errors, ...lists.switchedOff].map((line) => `  ${line}`),
    "",
    ...(rows.length === 0 ? ["no attachments"] : [plainTable(titles, rows), ""]),
    ...(networks.some(({ failing }) => failing > 0) ? ["cni-wrappers preflight says why they fail"] : []),
    ...networks
      .filter(({ outside }) => outside > 0)
      .map(
        ({ network, outside }) => `${network}: attachments with an address outside of the list's subnets: ${outside}`,
      ),
    ...networks
      .filter(({ withoutJournal }) => withoutJournal > 0)
      .map(({ network, withoutJournal }) => `${network}: attachments without a journal: ${withoutJournal}`),
    `results without a namespace: ${orphans.results}${hasGone ? " (nothing runs there: cni-wrappers prune shows what is left)" : ""}`,
    `journals without a result: ${orphans.journals}`,
    ...(unreadable > 0 ? [`lists, results, journals and others that could not be looked at: ${unreadable}`] : []),
    ...(nomadSkipsCheck ? [`Nomad would skip CHECK: ${nomadSkipsCheck.reason}; ${nomadSkipsCheck.cure}`] : []),
    ...narrowRuntimes.map(
      ({ name, pid, addressSpace }) =>
        `${name} (process ${pid}) gives its plugins ${inMiB(addressSpace)} of address space, and the Node flavor needs ${inMiB(neededAddressSpace)}: install the slim flavor`,
    ),
    ...(repaired ? [`repaired ADDs in ${repaired.file}: ${repaired.passed} passed, ${repaired.failed} failed`] : []),
  ];
  return `${lines.join("\n")}\n`;
}

function inMiB(bytes: number): string {
  return `${Math.floor(bytes / 1024 ** 2)} MiB`;
}

const stateWords: Readonly<Record<Exclude<Installation["state"], "unknown">, string>> = {
  intact: "intact: the checksum and the version are those that install wrote",
  changed: "changed: the checksum or the version is not the one that install wrote",
  broken: "broken: ",
  exposed: "exposed: another user may change the executable, or gets its owner's rights",
  incomplete: "incomplete: lists name links that are missing; install makes them",
  shadowed: "shadowed: a directory before it has another version, which runtimes run",
};

function installationLines(
  { directory, release, state, problem = "", exposed, shadowedBy, madeBy, links, previous }: Installation,
  terminal: Colors,
): readonly string[] {
  const words = state === "unknown" ? `made by ${madeBy}: there is no checksum to compare with` : stateWords[state];
  const cure = exposed === undefined ? "" : `; ${exposureCure(exposed)}`;
  const taken = links.taken.map(({ name, is }) => `${name} (${is})`);
  return [
    `installation in ${directory}: ${release ? releaseWords(release) : "no version"}`,
    `  ${isSound({ state }) ? words : styled(terminal, "red", words + problem + cure)}`,
    ...(shadowedBy ? [`  runtimes run ${shadowedBy.links.join(", ")} in ${shadowedBy.directory}`] : []),
    `  links: ${links.made.join(", ") || "none"}`,
    ...(links.needed.length > 0 ? [`  named in a list, and missing: ${links.needed.join(", ")}`] : []),
    ...(links.missing.length > 0 ? [`  without a link: ${links.missing.join(", ")}`] : []),
    ...(taken.length > 0 ? [`  names taken by something else: ${taken.join(", ")}`] : []),
    `  kept for a rollback: ${previous === "broken" ? "a file that does not answer" : previous ? releaseWords(previous) : "nothing"}`,
  ];
}
