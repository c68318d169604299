import { CniError } from "../protocol/errors.ts";
import { resultShapeProblem } from "../protocol/problem.ts";
import type { Request } from "../protocol/request.ts";
import type { CniResult } from "../protocol/result.ts";
import { isChainVersion, isUnchainedVersion } from "../protocol/versions.ts";
import type { Target } from "./target.ts";

/**
 * Returns the prevResult to narrow; undefined if the delegate gets it unchanged. Code 1 if the wrapper
 * supports no chains of its version, code 7 if it is malformed.
 */
export function chainedResult({ command, configuration }: Request, { renamed }: Target): CniResult | undefined {
  const { prevResult, cniVersion } = configuration;
  if (prevResult === undefined || prevResult === null) return undefined;
  if (!isChainVersion(cniVersion)) {
    // An interface that is not renamed needs no narrowing, and an attachment must always be removable.
    if (command === "DEL" || (!renamed && isUnchainedVersion(cniVersion))) return undefined;
    throw new CniError("incompatibleVersion", "", `cniVersion is ${cniVersion}`);
  }
  const problem = resultShapeProblem(prevResult, "prevResult");
  if (problem !== undefined) throw new CniError("invalidPrevResult", problem);
  return prevResult;
}
