// `npm run lint-table`: lint's verdict about each of its fixtures, and what the real plugins do with it.
import { table } from "../../../build/docs/table.ts";
import { lintFiles } from "../../../cli/lint/lint.ts";
import { readListFile } from "../../../cli/lists/find-files.ts";
import { lintFixtures } from "../../support/lint-fixtures.ts";
import { isAsTold, type Truth, truthOf } from "../../support/lint-truth.ts";
import { hostHas } from "../../support/needs.ts";
import { say } from "../../support/progress.ts";

const possible = lintFixtures().filter(({ needs }) => !needs || hostHas[needs]);
const truth = await truthOf(possible, ({ fixture }) => say(fixture.name));
console.log(table(["list", "lint", "real plugins"], truth.map(rowOf)));
if (!truth.every(isAsTold)) process.exitCode = 1;

function rowOf({ fixture: { name, file }, failure }: Truth): string[] {
  const findings = lintFiles([readListFile(file, "/")]);
  const verdict = findings.map(({ severity, code }) => `${severity} ${code}`).join(", ");
  return [name, verdict || "clean", failure ? `${failure.at}: ${failure.with.replaceAll("\n", " ")}` : "passes"];
}
