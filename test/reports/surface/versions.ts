import type { OwnedCase } from "./case.ts";
import { surfaceCases } from "./cases.ts";

/** Every version of the specification that the plugins speak, the newest last. */
export const everyVersion = ["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"] as const;

export const newestVersion = "1.1.0";

/**
 * The versions of a case in a test run: the newest. For the first valid value of every second option also an older one, in
 * turn the oldest and the first with CHECK. The slow second kernel has only the newest.
 */
export function sampleVersions(each: OwnedCase): readonly string[] {
  const index = firstValues.indexOf(each);
  if (index < 0 || index % 2 === 1 || each.needs) return [newestVersion];
  return [index % 4 === 0 ? "0.1.0" : "0.4.0", newestVersion];
}

const firstValues = surfaceCases.filter((each) => {
  const values = surfaceCases.filter(({ owner, option }) => owner === each.owner && option === each.option);
  return values.find(({ fails }) => fails === undefined) === each;
});
