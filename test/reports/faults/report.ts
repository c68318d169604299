import { verbs } from "./chain.ts";
import type { Result } from "./run.ts";
import { faults } from "./system-calls.ts";

/** A row of the table for each verb and fault that has cases. */
export function rowsOf(flavor: string, results: readonly Result[]): string[][] {
  return verbs.flatMap((verb) =>
    faults.flatMap((fault) => {
      const own = results.filter(({ each }) => each.verb === verb && each.fault === fault);
      if (own.length === 0) return [];
      const calls = new Set(own.map(({ each: { target, call } }) => `${target} ${call.name} ${call.nth}`));
      const missed = own.filter(({ verdict }) => !verdict.isReached);
      const hung = own.filter(({ verdict }) => verdict.isHung);
      const dead = own.filter(({ verdict }) => verdict.death !== undefined);
      const left = own.filter(({ verdict }) => verdict.left.length > 0);
      const counts = [calls.size, own.length, missed.length, hung.length, dead.length, left.length];
      return [[flavor, verb, fault, ...counts.map(String)]];
    }),
  );
}
