import type { Verdict } from "../live/check.ts";
import { Trouble } from "../trouble.ts";
import { adopt } from "./adoption.ts";
import type { Evidence } from "./proposal.ts";
import type { Case } from "./report.ts";

/**
 * Writes a proposal, and runs CHECK again. If that does not pass, the files are restored, and the case is lost. So it is if the
 * files cannot be written: the other cases do not depend on it.
 */
export async function adoptCase(cacheDirectory: string, one: Case, check: Evidence["check"]): Promise<Case> {
  try {
    return await written(cacheDirectory, one, check);
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    return { ...one, proposal: { is: "lost", error: error.message } };
  }
}

async function written(cacheDirectory: string, one: Case, check: Evidence["check"]): Promise<Case> {
  const { attachment, proposal } = one;
  if (proposal.is !== "adoptable") return one;
  const takeBack = adopt(cacheDirectory, attachment, proposal);
  const verdict = await check({ ...attachment, result: proposal.result });
  if (verdict.is === "passes") return one;
  // The journal changed how a wrapper looks at the attachment.
  takeBack();
  return { ...one, proposal: { is: "lost", error: errorOf(verdict) } };
}

function errorOf(verdict: Verdict): string {
  if (verdict.is === "fails") return verdict.error;
  return verdict.is === "gone" ? "its namespace is gone" : "CHECK did not run";
}
