import type { Verdict } from "../preflight/forecast.ts";
import { adopt, undo } from "./adoption.ts";
import type { Evidence } from "./proposal.ts";
import type { Case } from "./report.ts";

/** Writes a proposal, and runs CHECK again. If that does not pass, the files are restored, and the case is lost. */
export async function adoptCase(cacheDirectory: string, one: Case, check: Evidence["check"]): Promise<Case> {
  const { attachment, text, proposal } = one;
  if (proposal.is !== "adoptable") return one;
  const { result, records } = proposal;
  adopt(cacheDirectory, attachment, { read: text, result, records });
  const verdict = await check({ ...attachment, result });
  if (verdict.is === "passes") return one;
  // The records changed how a wrapper looks at the attachment.
  undo(cacheDirectory, (file) => file === attachment.file);
  return { ...one, proposal: { is: "lost", error: errorOf(verdict) } };
}

function errorOf(verdict: Verdict): string {
  if (verdict.is === "fails") return verdict.error;
  return verdict.is === "gone" ? "its namespace is gone" : "CHECK did not run";
}
