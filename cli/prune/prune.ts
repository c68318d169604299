import { runPlugin } from "../live/run-plugin.ts";
import { detach, type FailedDel, unknownDelegates } from "./detach.ts";
import { addressesInUse, type Finding, findingsIn, type Survey } from "./findings.ts";
import { fileName, type Known } from "./known.ts";
import { isGone, remove } from "./remove.ts";
import type { Row } from "./report.ts";
import { kinds } from "./thing.ts";

/** How to prune a host. */
export interface PruneOptions {
  /** Reads the host again. */
  readonly look: () => Promise<Survey>;
  /** Whether a finding is one that the command is about. */
  readonly isWanted: (finding: Finding) => boolean;
  readonly cniPath: readonly string[];
  /** How long a plugin may take. */
  readonly seconds: number;
  /** The directory of libcni's results. */
  readonly results: string;
}

/** What `prune` did, and the DELs that failed. */
export interface Pruned {
  readonly rows: readonly Row[];
  readonly failed: readonly FailedDel[];
}

/** Removes what belongs to gone attachments: DEL first, then what DEL left. It looks at the host again after each step. */
export async function prune(before: Survey, options: PruneOptions): Promise<Pruned> {
  const first = findingsIn(before).filter(options.isWanted);
  const failed = await detachAll(before, first, options);
  const second = findingsIn(await options.look()).filter(options.isWanted);
  const reasons = await removeAll(second, reasonsToKeep(second, failed), options);
  const third = new Map(findingsIn(await options.look()).map((finding) => [idOf(finding), finding]));
  const all = new Map([...first, ...second].map((finding) => [idOf(finding), finding]));
  const rows = [...all].map(([id, finding]): Row => {
    const left = third.get(id);
    const why = reasons.get(id) ?? left?.why;
    if (!left) return { finding, fate: "pruned", why: undefined };
    return { finding, fate: "left", why: why ?? "it is still there" };
  });
  return { rows, failed };
}

// Several containers have rules in one chain.
function idOf({ thing }: Finding): string {
  return `${thing.where} ${thing.name}`;
}

async function detachAll(before: Survey, findings: readonly Finding[], options: PruneOptions) {
  const goes = findings.filter(({ thing, why }) => thing.kind === "result" && why === undefined);
  const inUse = addressesInUse(before, findings);
  const failed: FailedDel[] = [];
  for (const { known } of goes) {
    if (!known || !isGone(known)) continue;
    const { cniPath, seconds } = options;
    failed.push(...(await detach(known, { cniPath, inUse, ask: (run) => runPlugin(run, seconds) })));
  }
  return failed;
}

/** Why the files of an attachment stay, by `fileName`: only its plugin knows what it made. */
function reasonsToKeep(findings: readonly Finding[], failed: readonly FailedDel[]): Map<string, string> {
  const ofDel = failed
    .filter(({ isKnown }) => !isKnown)
    .map(({ known, plugin, error }) => [
      fileName(known),
      `only ${plugin} knows what it made, and its DEL failed: ${error}`,
    ]);
  const ofRecords = findings.flatMap(({ known }) => {
    const [delegate] = known ? unknownDelegates(known) : [];
    return known && delegate !== undefined ? [[fileName(known), `only ${delegate} knows what it made`]] : [];
  });
  return new Map([...ofRecords, ...ofDel] as [string, string][]);
}

// The files come last, and stay if anything else does: the next run then knows whose that is.
async function removeAll(
  findings: readonly Finding[],
  keep: Map<string, string>,
  { results }: PruneOptions,
): Promise<ReadonlyMap<string, string>> {
  const reasons = new Map<string, string>();
  for (const kind of kinds) {
    for (const finding of findings.filter(({ thing }) => thing.kind === kind)) {
      const isFile = finding.known !== undefined && finding.thing.name === fileName(finding.known);
      const reason =
        finding.why ?? (isFile ? keep.get(finding.thing.name) : undefined) ?? (await remove(finding, results));
      if (reason === undefined) continue;
      reasons.set(idOf(finding), reason);
      note(keep, finding.known, `something of it is left: ${finding.thing.where}`);
    }
  }
  return reasons;
}

function note(keep: Map<string, string>, known: Known | undefined, reason: string): void {
  if (known && !keep.has(fileName(known))) keep.set(fileName(known), reason);
}
