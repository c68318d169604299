import { spawnSync } from "node:child_process";
import { root } from "../publish.ts";
import type { Stamp } from "../stamp.ts";

/**
 * Returns the time of all files in an archive, in seconds: SOURCE_DATE_EPOCH, or the time of the commit in the work tree. Throws
 * if the sources are no commit, unless they may be `dirty`.
 */
export function epochOf({ commit }: Stamp, dirty: boolean, tree = root, env = process.env): number {
  // guard: no archive that nobody can verify
  if (!/^[0-9a-f]+$/.test(commit) && !dirty) {
    throw new Error(
      `this is no commit (${commit}), so nobody can verify its archives: commit first, or try with --dirty`,
    );
  }
  const { stdout } = spawnSync("git", ["-C", tree, "log", "-1", "--format=%ct"], { encoding: "utf8" });
  const epoch = Number(env.SOURCE_DATE_EPOCH || stdout || Number.NaN);
  // guard: no archive with another time in each build
  if (!Number.isSafeInteger(epoch)) throw new Error("set SOURCE_DATE_EPOCH: there is no commit to take the time from");
  return epoch;
}
