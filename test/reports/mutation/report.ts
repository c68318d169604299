import { matchesGlob } from "node:path";
import { table } from "../../../build/docs/table.ts";
import type { Mutant } from "./mutants.ts";

/** A mutant that no test noticed. `survivors.json` has those of guards, and others with a reason. */
export interface Survivor {
  readonly file: string;
  /** The declaration of the module that contains it. */
  readonly place: string;
  readonly original: string;
  readonly replacement: string;
  /** The number of equal mutants in one place; 1 if it is missing. */
  readonly times?: number;
  /** Why no test can notice it, or need not. */
  readonly reason: string;
}

/** The survivors of a run, and those of them that are in guards. */
export interface Found {
  readonly survivors: readonly Survivor[];
  readonly ofGuards: readonly Survivor[];
}

/** The percentage of the mutants of some files that tests must kill. */
export interface Aim {
  readonly name: string;
  readonly files: readonly string[];
  readonly percent: number;
}

/** One mutant and whether a test noticed it. */
export interface Verdict {
  readonly mutant: Mutant;
  readonly killed: boolean;
}

/** The results of the mutants of some files. */
export interface Score {
  readonly name: string;
  readonly mutants: number;
  readonly killed: number;
  /** The killed mutants in percent. */
  readonly percent: number;
}

/** The score of each aim. */
export function aimScores(verdicts: readonly Verdict[], aims: readonly Aim[]): Score[] {
  return aims.map(({ name, files }) =>
    scoreOf(
      name,
      verdicts.filter(({ mutant }) => files.some((glob) => matchesGlob(mutant.file, glob))),
    ),
  );
}

/** The score of each file. */
export function fileScores(verdicts: readonly Verdict[]): Score[] {
  return [...Map.groupBy(verdicts, ({ mutant }) => mutant.file)].map(([file, own]) => scoreOf(file, own));
}

function scoreOf(name: string, verdicts: readonly Verdict[]): Score {
  const killed = verdicts.filter((verdict) => verdict.killed).length;
  const percent = verdicts.length === 0 ? 100 : (100 * killed) / verdicts.length;
  return { name, mutants: verdicts.length, killed, percent };
}

/** The survivors of a run, with the reasons from the list. A new survivor has none. */
export function survivorsOf(verdicts: readonly Verdict[], listed: readonly Survivor[]): Survivor[] {
  const reasons = new Map(listed.map((survivor) => [keyOf(survivor), survivor.reason]));
  const survived = verdicts.filter(({ killed }) => !killed).map(({ mutant }) => shortened(mutant));
  return [...Map.groupBy(survived, keyOf)].flatMap(([key, [first, ...others]]) =>
    first
      ? [{ ...first, ...(others.length > 0 ? { times: others.length + 1 } : {}), reason: reasons.get(key) ?? "" }]
      : [],
  );
}

function shortened({ file, place, original, replacement }: Mutant): Omit<Survivor, "reason"> {
  return { file, place, original: oneLine(original), replacement: oneLine(replacement) };
}

function oneLine(code: string): string {
  const line = code.replaceAll(/\s+/g, " ").trim();
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

function keyOf({ file, place, original, replacement }: Omit<Survivor, "reason">): string {
  return JSON.stringify([file, place, original, replacement]);
}

/**
 * The errors of the list of survivors: one of a guard is missing, or has no reason; an entry does not survive any more. If only
 * some of the mutants ran, the others may survive.
 */
export function listProblems(
  { survivors, ofGuards }: Found,
  listed: readonly Survivor[],
  ran: "all" | "some" = "all",
): string[] {
  const known = new Map(listed.map((survivor) => [keyOf(survivor), survivor]));
  const found = new Set(survivors.map(keyOf));
  const unlisted = ofGuards.filter((survivor) => !known.has(keyOf(survivor)));
  const problems = survivors.flatMap((survivor) => {
    const entry = known.get(keyOf(survivor));
    if (entry === undefined) return [];
    if (entry.reason.trim() === "") return [`no reason: ${describe(survivor)}`];
    const [times, allowed] = [survivor.times ?? 1, entry.times ?? 1];
    return times === allowed || (ran === "some" && times < allowed)
      ? []
      : [`listed ${allowed} times, survives ${times} times: ${describe(survivor)}`];
  });
  const gone = ran === "some" ? [] : listed.filter((entry) => !found.has(keyOf(entry)));
  return [
    ...unlisted.map((survivor) => `not listed: ${describe(survivor)}`),
    ...problems,
    ...gone.map((entry) => `does not survive any more: ${describe(entry)}`),
  ];
}

/**
 * The list after a run of some files: of their survivors, those of guards and those that it had. The entries of the other files
 * stay.
 */
export function renewedList(
  { survivors, ofGuards }: Found,
  listed: readonly Survivor[],
  files: ReadonlySet<string>,
): Survivor[] {
  const wanted = new Set([...ofGuards, ...listed].map(keyOf));
  const own = survivors.filter((survivor) => wanted.has(keyOf(survivor)));
  const all = [...own, ...listed.filter(({ file }) => !files.has(file))];
  return all.toSorted((one, other) => (one.file < other.file ? -1 : Number(one.file > other.file)));
}

function describe({ file, place, original, replacement }: Survivor): string {
  return `${file}, ${place}: ${original} -> ${replacement || "(nothing)"}`;
}

/** The aims that are missed. */
export function missedAims(scores: readonly Score[], aims: readonly Aim[]): string[] {
  return aims.flatMap(({ name, percent }) => {
    const score = scores.find((candidate) => candidate.name === name);
    return score === undefined || score.percent >= percent
      ? []
      : [`${name}: ${score.percent.toFixed(1)} % killed, the aim is ${percent} %`];
  });
}

/** The scores as a table. */
export function scoreTable(scores: readonly Score[]): string {
  const rows = scores.map(({ name, mutants, killed, percent }) => [
    name,
    ...[mutants, killed, mutants - killed].map(String),
    percent.toFixed(1),
  ]);
  return table(["file", "mutants", "killed", "survived", "%"], rows);
}
