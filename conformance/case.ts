import { type SpecVersion, specVersions } from "./specification.ts";
import type { Trial } from "./trial.ts";

/** The plugins that a case concerns: all, interface plugins, those of them that delegate to IPAM, or chained plugins. */
export type Concerned = "all" | "interface" | "ipam" | "chained";

/** A rule of the specification with the check that shows it. */
export interface ConformanceCase {
  /** Section of SPEC.md 1.1.0, or of the last version that has the rule. */
  readonly section: string;
  readonly level: "MUST" | "SHOULD";
  readonly name: string;
  /** The sentence of SPEC.md with the rule, word for word. */
  readonly sentence: string;
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
