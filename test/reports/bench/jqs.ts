import { execa } from "execa";
import { firstLine } from "../../support/first-line.ts";
import { type Jq, laterJq, laterSuites } from "../../support/later-jq.ts";
import { withLibraries } from "../../support/program.ts";

/** The host's jq and those of later Debian releases. For each one that is missing, the reason. */
export async function findJqs(): Promise<{ jqs: Jq[]; missing: string[] }> {
  const jqs = [await hostJq()];
  const missing: string[] = [];
  for (const suite of laterSuites) {
    try {
      const jq = await laterJq(suite);
      if (jqs.every(({ version }) => version !== jq.version)) jqs.push(jq);
    } catch (error) {
      missing.push(`jq of Debian ${suite}: ${firstLine(error)}`);
    }
  }
  return { jqs, missing };
}

async function hostJq(): Promise<Jq> {
  const { stdout: version } = await execa("jq", ["--version"]);
  return { version: version.replace("jq-", ""), argv: ["jq"], files: await withLibraries("jq") };
}
