import { answerOf } from "./answer.ts";
import { type ConformanceCase, isIn } from "./case.ts";
import { concerns, conformanceCases } from "./cases.ts";
import type { PrivateHost } from "./host.ts";
import { UsageError } from "./options.ts";
import { NotRun, type SpecVersion, Stopped, specVersions } from "./specification.ts";
import type { Target } from "./target.ts";
import { type Call, Trial } from "./trial.ts";

/** The end of one case in one version. */
export interface Ended {
  readonly name: string;
  readonly version: SpecVersion;
  /** What the plugin does against the rule; empty if it follows it. */
  readonly problem: string;
  /** Why the case says nothing about the plugin; empty if it does. */
  readonly notRun: string;
  /** The calls of the plugin. The last one shows the problem. */
  readonly calls: readonly Call[];
}

/** Runs the cases of a plugin, one after another. */
export async function runCases(
  lab: PrivateHost,
  target: Target,
  versions: readonly SpecVersion[],
  cases: readonly ConformanceCase[] = conformanceCases,
  numbers = { last: 0 },
): Promise<Ended[]> {
  const ended = [];
  for (const each of cases.filter((other) => concerns(other, target))) {
    for (const version of sampleOf(versions.filter((version) => isIn(each, version)))) {
      numbers.last += 1;
      const trial = await Trial.start(lab, target, version, numbers.last);
      ended.push(await endOf(trial, each));
    }
  }
  return ended;
}

async function endOf(trial: Trial, { name, check }: ConformanceCase): Promise<Ended> {
  const { problem = "", notRun = "" } = await check(trial).then((): Reason => ({}), reasonOf);
  const calls = [...trial.calls];
  await trial.end();
  return { name, version: trial.version, problem, notRun, calls };
}

type Reason = Partial<Pick<Ended, "notRun" | "problem">>;

function reasonOf(error: unknown): Reason {
  // A plugin that does not do what a check builds on breaks its commands as well.
  return error instanceof NotRun ? { notRun: error.message } : { problem: wordsOf(error) };
}

/**
 * The first ADD and DEL make what stays for all containers, such as a bridge. Returns why ADD fails; undefined if it
 * does not. Throws if ADD was stopped: each case would wait as long.
 */
export async function tryFirst(lab: PrivateHost, target: Target, version: SpecVersion): Promise<string | undefined> {
  const trial = await Trial.start(lab, target, version, 0);
  const problem = await trial.add().then(() => undefined, wordsUnlessStopped);
  await trial.end();
  return problem;
}

function wordsUnlessStopped(error: unknown): string {
  if (error instanceof Stopped) throw error;
  return wordsOf(error);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** The versions of the specification that the plugin lists. All of them if it lists nothing: the cases then say why. */
export async function listedVersions(lab: PrivateHost, { file, seconds }: Target): Promise<readonly SpecVersion[]> {
  const input = JSON.stringify({ cniVersion: "1.0.0" });
  const outcome = await lab.call(file, [], { env: { CNI_COMMAND: "VERSION" }, input, seconds });
  if (outcome.stopped !== undefined) throw new Stopped(`VERSION: ${outcome.stopped}`);
  const { json } = answerOf(outcome, "1.0.0");
  const listed = json?.supportedVersions;
  const known = Array.isArray(listed) ? specVersions.filter((version) => listed.includes(version)) : [];
  if (known.length > 0) return known;
  if (!Array.isArray(listed) || listed.length === 0) return specVersions;
  throw new UsageError(
    `the plugin lists ${JSON.stringify(listed)} for VERSION, and none of ${specVersions.join(", ")}`,
  );
}

/** The first and the last version. The rules in between are the same. */
export function sampleOf(versions: readonly SpecVersion[]): SpecVersion[] {
  return versions.filter((_, index) => index === 0 || index === versions.length - 1);
}
