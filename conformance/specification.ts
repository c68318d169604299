/** The versions of the specification that have chained plugins. */
export const specVersions = ["0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"] as const;
export type SpecVersion = (typeof specVersions)[number];

/** What a plugin did against a rule. */
export class Violation extends Error {}

/** A call of the plugin was stopped, because it took too long or printed too much. */
export class Stopped extends Violation {}

/** Why a case says nothing about a plugin. */
export class NotRun extends Error {}

/** Throws if the condition does not hold. The words say what the plugin did. */
export function demand(holds: boolean, words: string): asserts holds {
  if (!holds) throw new Violation(words);
}
