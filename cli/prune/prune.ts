import { type PluginRun, runPlugin } from "../live/run-plugin.ts";
import { detach, type FailedDel, undoRemembered } from "./detach.ts";
import { addressesInUse, type Finding, findingsIn, type Survey } from "./findings.ts";
import { fileName } from "./known.ts";
import { cameBack, isBack, isGone, remove } from "./remove.ts";
import type { Row } from "./report.ts";
import { kinds, type Thing } from "./thing.ts";

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

/**
 * Removes what belongs to gone attachments: DEL first, then what DEL left. It looks at the host again after each step. `failed` are
 * the DELs that failed, and `problems` says why some links or packet rules could not be read. They may be left.
 */
export async function prune(before: Survey, options: PruneOptions) {
  const first = findingsIn(before).filter(options.isWanted);
  const failed = await detachAll(before, first, options);
  const now = await options.look();
  const second = findingsIn(now).filter(options.isWanted);
  const isTaken = takenBySomeone(now, second);
  const reasons = await removeAll(second, reasonsToKeep(failed), { ...options, isTaken });
  const after = await options.look();
  const third = new Map(findingsIn(after).map((finding) => [idOf(finding), finding]));
  const isThere = new Set(after.things.map(idOfThing));
  const all = new Map([...first, ...second].map((finding) => [idOf(finding), finding]));
  const rows = [...all].map(([id, finding]): Row => {
    const left = third.get(id);
    // guard: nothing is called pruned that is still there
    if (!isThere.has(id)) return { finding, fate: "pruned", why: undefined };
    const why = reasons.get(id) ?? left?.why ?? (left ? "it is still there" : cameBack);
    return { finding, fate: "left", why };
  });
  return { rows, failed, problems: [now, after].flatMap((survey) => survey.problems) };
}

function idOf({ thing }: Finding): string {
  return idOfThing(thing);
}

// Several containers have rules in one chain.
function idOfThing({ where, name }: Thing): string {
  return `${where} ${name}`;
}

async function detachAll(before: Survey, findings: readonly Finding[], options: PruneOptions) {
  // guard: no DEL for an attachment that may live
  const gone = findings.flatMap(({ known, why }) => (known && why === undefined ? known : []));
  const inUse = addressesInUse(before, findings);
  const isTaken = takenBySomeone(before, findings);
  const failed: FailedDel[] = [];
  for (const known of new Set(gone)) {
    const { cniPath, seconds } = options;
    const ask = (run: PluginRun) => runPlugin(run, seconds);
    // guard: the packet rules of an address that another container has
    const isInUse = (address: string) => inUse.has(address) || isTaken(address);
    failed.push(...(await detach(known, { cniPath, isInUse, isGone: () => isGone(known), ask })));
    // guard: what a container has that came back during the DELs
    if (!isBack(known)) failed.push(...undoRemembered(known, cniPath));
  }
  return failed;
}

// A run takes long. Meanwhile a new container can get the address of a gone one.
function takenBySomeone({ holdersOf }: Survey, findings: readonly Finding[]): (address: string) => boolean {
  const gone = new Set(findings.filter(({ why }) => why === undefined).map(({ containerId }) => containerId));
  // guard: an address that a new container got meanwhile
  return (address) => holdersOf(address).some((containerId) => !gone.has(containerId));
}

/** Why the files of an attachment stay, by `fileName`: only its plugin knows what it made. */
function reasonsToKeep(failed: readonly FailedDel[]): Map<string, string> {
  const reasons = failed
    // guard: the files that tell what an unknown plugin left
    .filter(({ isKnown }) => !isKnown)
    .map(({ known, plugin, error }) => [
      fileName(known),
      `only ${plugin} knows what it made, and its DEL failed: ${error}`,
    ]);
  return new Map(reasons as [string, string][]);
}

// The files come last, and stay if anything else does: the next run then knows whose that is.
async function removeAll(
  findings: readonly Finding[],
  keep: Map<string, string>,
  { results, isTaken }: PruneOptions & { readonly isTaken: (address: string) => boolean },
): Promise<ReadonlyMap<string, string>> {
  const reasons = new Map<string, string>();
  for (const kind of kinds) {
    for (const finding of findings.filter(({ thing }) => thing.kind === kind)) {
      const reason = finding.why ?? keep.get(finding.thing.name) ?? (await remove(finding, results, isTaken));
      if (reason === undefined) continue;
      reasons.set(idOf(finding), reason);
      const files = finding.known && fileName(finding.known);
      if (files !== undefined && !keep.has(files)) keep.set(files, `something of it is left: ${finding.thing.where}`);
    }
  }
  return reasons;
}
