import type { OwnedCase } from "./case.ts";
import { surfaceCases } from "./cases.ts";

/** Every version of the specification that the plugins speak, the newest last. */
export const everyVersion = ["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"] as const;

export const newestVersion = "1.1.0";

/**
 * The versions of a case in a test run. For the first valid value of each option: the oldest, the first with CHECK, and
 * the newest. For the others: the newest.
 */
export function sampleVersions(each: OwnedCase): readonly string[] {
  const first = surfaceCases.find(
    ({ owner, option, fails }) => owner === each.owner && option === each.option && fails === undefined,
  );
  return first === each ? ["0.1.0", "0.4.0", newestVersion] : [newestVersion];
}
