import type { OwnedCase } from "./case.ts";
import { surfaceCases } from "./cases.ts";

/** Every version of the specification that the plugins speak, the newest last. */
export const everyVersion = ["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"] as const;

export const newestVersion = "1.1.0";

/**
 * The versions of a case in a test run. For the first valid value of each option: the newest, and in turn the oldest or
 * the first with CHECK. For the others, and in the slow second kernel: the newest.
 */
export function sampleVersions(each: OwnedCase): readonly string[] {
  const index = firstValues.indexOf(each);
  return index < 0 || each.needs ? [newestVersion] : [index % 2 === 0 ? "0.1.0" : "0.4.0", newestVersion];
}

const firstValues = surfaceCases.filter((each) => {
  const values = surfaceCases.filter(({ owner, option }) => owner === each.owner && option === each.option);
  return values.find(({ fails }) => fails === undefined) === each;
});
