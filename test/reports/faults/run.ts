import { must } from "../../support/must.ts";
import { type Before, type Case, now, runCase, type Verdict } from "./case.ts";
import { Chain } from "./chain.ts";
import { difference } from "./state.ts";

/** A case and its verdict. */
export interface Result {
  readonly each: Case;
  readonly verdict: Verdict;
}

/** A neighbour that answers CHECK as before costs a tenth of a case, so it is asked after this many cases. */
const casesPerCheck = 20;

/** Runs cases in several hosts at once. A host with something left is replaced by a new one. */
export async function runCases(
  cases: readonly Case[],
  hosts: number,
  done: (result: Result) => void,
): Promise<Result[]> {
  const waiting = [...cases];
  const results: Result[] = [];
  const work = async () => {
    while (waiting.length > 0) {
      await onOneHost(waiting, (result) => {
        results.push(result);
        done(result);
      });
    }
  };
  await Promise.all(Array.from({ length: hosts }, work));
  return results;
}

/** Takes cases until none is waiting or one left something. */
async function onOneHost(waiting: Case[], done: (result: Result) => void): Promise<void> {
  await using chain = await Chain.start();
  const before: Before = { alone: await now(chain) };
  for (let count = 1; ; count++) {
    const each = waiting.shift();
    if (each === undefined) break;
    const verdict = await verdictOf(chain, each, before);
    done({ each, verdict });
    if (verdict.left.length > 0) return;
    if (count % casesPerCheck === 0) must(await chain.checkNeighbour(), "CHECK of the neighbour");
  }
  must(await chain.checkNeighbour(), "CHECK of the neighbour");
  const last = difference(before.alone, await now(chain));
  if (last.length > 0) throw new Error(`the neighbour changed: ${last.join("; ")}`);
}

async function verdictOf(chain: Chain, each: Case, before: Before): Promise<Verdict> {
  try {
    return await runCase(chain, each, before);
  } catch (error) {
    return { isReached: true, isHung: false, left: [error instanceof Error ? error.message : String(error)] };
  }
}
