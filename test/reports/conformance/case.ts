import type { Trial } from "./trial.ts";

/** The versions of the specification that have chained plugins. */
export const specVersions = ["0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"] as const;
export type SpecVersion = (typeof specVersions)[number];

/** The plugins that a case concerns: all, interface plugins, those of them that delegate to IPAM, or chained plugins. */
export type Concerned = "all" | "interface" | "ipam" | "chained";

/** A rule of the specification with the check that shows it. */
export interface ConformanceCase {
  /** Section of SPEC.md 1.1.0, or of the last version that has the rule. */
  readonly section: string;
  readonly level: "MUST" | "SHOULD";
  readonly name: string;
  readonly concerns: Concerned;
  readonly since: SpecVersion;
  readonly until?: SpecVersion;
  /** Throws if the plugin breaks the rule. */
  readonly check: (trial: Trial) => Promise<unknown>;
}

/** Says whether this version of the specification has the rule. */
export function isIn({ since, until = "1.1.0" }: ConformanceCase, version: SpecVersion): boolean {
  const [place, first, last] = [version, since, until].map((each) => specVersions.indexOf(each as SpecVersion));
  return (first ?? 0) <= (place ?? 0) && (place ?? 0) <= (last ?? 0);
}

/** What a plugin did against a rule. */
export class Violation extends Error {}

/** Throws if the condition does not hold. The words say what the plugin did. */
export function demand(holds: boolean, words: string): asserts holds {
  if (!holds) throw new Violation(words);
}
