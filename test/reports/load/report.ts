import { type Verb, verbs } from "./decisions.ts";

/** One call of the runtime. */
export interface Call {
  readonly verb: Verb;
  /** The executable that was killed. */
  readonly killed: string | undefined;
  readonly failure: string | undefined;
  /** DEL between two tries of ADD. */
  readonly isBetween?: true;
}

/** The calls of one attachment, in their order, and what its namespace still had at the end. */
export interface Story {
  readonly chain: string;
  readonly number: number;
  readonly calls: readonly Call[];
  readonly left: readonly string[];
}

/** What a load did. */
export interface LoadResult {
  readonly title: string;
  readonly chains: readonly string[];
  /** The number of attachments that it should have run. */
  readonly count: number;
  /** How many calls should have lost an executable to a kill. */
  readonly orders: number;
  readonly stories: readonly Story[];
  /** What differed on the host afterwards. */
  readonly left: readonly string[];
}

/** What became of a call. A kill may fail it, and then the next try may fail as well: runtimes try again. */
const outcomes = ["passed", "killed", "failed after a kill", "failed"] as const;
type OutcomeName = (typeof outcomes)[number];

/** The columns of the table of calls. */
export const callColumns = ["load", "chain", "verb", "calls", ...outcomes];

/** A row for each chain and verb of a load. */
export function callRows({ title, chains, stories }: LoadResult): string[][] {
  return chains.flatMap((chain) =>
    verbs.map((verb) => {
      const own = stories.filter((story) => story.chain === chain);
      const found = own.flatMap(({ calls }) => outcomesOf(calls.filter((call) => call.verb === verb)));
      const counts = outcomes.map((name) => found.filter((each) => each === name).length);
      return [title, chain, verb, ...[found.length, ...counts].map(String)];
    }),
  );
}

/** The columns of the table of kills. */
export const killColumns = ["load", "killed", "ADD", "CHECK", "DEL"];

/** A row for each executable that was killed. */
export function killRows({ title, stories }: LoadResult): string[][] {
  const killed = stories.flatMap(({ calls }) => calls).filter((call) => call.killed !== undefined);
  const names = [...new Set(killed.map((call) => call.killed ?? ""))].sort();
  return names.map((name) => {
    const own = killed.filter((call) => call.killed === name);
    return [title, name, ...verbs.map((verb) => `${own.filter((call) => call.verb === verb).length}`)];
  });
}

/** Everything that a load must not show, one sentence each. */
export function problemsOf(result: LoadResult): string[] {
  return [
    ...missingIn(result),
    ...result.stories.flatMap((story) =>
      problemsInStory(story).map((problem) => `${story.chain} c${story.number}: ${problem}`),
    ),
    ...result.left.map((line) => `${isOfKilledDel(line, result.stories) ? "left by a killed DEL" : "left"}: ${line}`),
  ];
}

/**
 * The problems of a load that the plain plugins do not have under the same load. Numbers, addresses and random names do
 * not count.
 */
export function ownProblems(problems: readonly string[], plain: readonly string[]): string[] {
  const known = new Set(plain.map(kindOf));
  return problems.filter((problem) => !known.has(kindOf(problem)));
}

/** Whether a line names a container whose DEL was killed. The rules of ipMasq have such a name. */
function isOfKilledDel(line: string, stories: readonly Story[]): boolean {
  const [, number] = /\bid: \\*"c(\d+)/.exec(line) ?? [];
  const own = stories.find((story) => `${story.number}` === number);
  return own?.calls.some(({ verb, killed }) => verb === "DEL" && killed !== undefined) ?? false;
}

/** A problem without the values that differ from attachment to attachment. */
export function kindOf(problem: string): string {
  return problem
    .replace(/^\S+ c\d+: /, "")
    .replace(/\bname: \S+ id: \S+/, "OWNER")
    .replaceAll(/\b[0-9a-f]{2}(:[0-9a-f]{2}){5}\b/g, "MAC")
    .replaceAll(/[0-9a-f]{8,}/g, "HEX")
    .replaceAll(/\d+/g, "N");
}

/** Most executables end before their kill. */
const ordersPerKill = 10;

/** Fewer calls or kills than a load should have made. */
function missingIn({ title, chains, count, orders, stories }: LoadResult): string[] {
  const problems = stories.length === count ? [] : [`${title}: ${stories.length} attachments of ${count}`];
  const kills = stories.flatMap(({ calls }) => calls).filter(({ killed }) => killed !== undefined).length;
  if (kills * ordersPerKill < orders) problems.push(`${title}: ${kills} kills, although ${orders} were ordered`);
  for (const chain of chains) {
    const own = stories.filter((story) => story.chain === chain);
    for (const verb of verbs) {
      const passed = own.filter(({ calls }) => calls.some((call) => call.verb === verb && call.failure === undefined));
      if (passed.length < Math.floor(count / chains.length)) {
        problems.push(`${title}: ${verb} of ${chain} passed for ${passed.length} attachments of ${own.length}`);
      }
    }
  }
  return problems;
}

function problemsInStory({ calls, left }: Story): string[] {
  const between = calls.filter(({ isBetween, failure }) => isBetween && failure !== undefined);
  return [
    ...verbs.flatMap((verb) => problemsWithVerb(calls.filter((call) => call.verb === verb && !call.isBetween))),
    ...between.map(({ failure }) => `DEL after a failed ADD: ${failure}`),
    ...left.filter((line) => !isHalfMade(line, calls)).map((line) => `left in its namespace: ${line}`),
  ];
}

/** Whether a link has the name that macvlan gives it until it is whole, and a call of ADD was killed then. No DEL knows the name. */
function isHalfMade(link: string, calls: readonly Call[]): boolean {
  const wasKilled = calls.some(({ verb, killed }) => verb === "ADD" && killed?.startsWith("macvlan"));
  return wasKilled && /^veth[0-9a-f]{8}@if\d+$/.test(link);
}

function problemsWithVerb(calls: readonly Call[]): string[] {
  const failed = calls.filter((_, index) => outcomesOf(calls)[index] === "failed");
  const last = calls.at(-1);
  const isLost = last?.failure !== undefined && !failed.includes(last);
  return [
    ...failed.map(({ verb, failure }) => `${verb} failed without a kill: ${failure}`),
    ...(isLost ? [`${last.verb} failed at every try: ${last.failure}`] : []),
  ];
}

function outcomesOf(calls: readonly Call[]): OutcomeName[] {
  return calls.map(({ killed, failure, isBetween }, index) => {
    if (failure === undefined) return "passed";
    if (killed !== undefined) return "killed";
    const isAfterKill = calls.slice(0, index).some((earlier) => earlier.killed !== undefined);
    return isAfterKill && !isBetween ? "failed after a kill" : "failed";
  });
}
