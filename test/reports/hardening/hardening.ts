// `npm run hardening`: runs the long suites that attack the wrappers, one after the other, and prints a table of their
// totals. It exits with 1 if a suite fails.
//
//     npm run hardening                                  all of them
//     npm run hardening -- --only test:fuzz --write      one of them; --write renews its row in docs/security.md

import { execa } from "execa";
import { readSection, writeSection } from "../../../build/docs/page-section.ts";
import { given } from "../../support/given.ts";
import { say } from "../../support/progress.ts";
import { columns, readRows, suites, type Total, tableOf, totalOf } from "./totals.ts";

const values = given({ only: [], write: false });
const unknown = values.only.filter((name) => !(name in suites));
if (unknown.length > 0) throw new Error(`--only: one of ${Object.keys(suites).join(", ")}`);

const totals: Record<string, Total> = {};
for (const name of values.only.length > 0 ? values.only : Object.keys(suites)) {
  say(`npm run ${name}`);
  const { exitCode, stdout } = await execa("npm", ["run", "--silent", name], {
    stdout: ["pipe", "inherit"],
    stderr: "inherit",
    reject: false,
  });
  totals[name] = { text: totalOf(stdout), isPassed: exitCode === 0 };
}
console.log(`\n${tableOf(totals)}`);
if (values.write) {
  const before = readRows(readSection("hardening"));
  say(`wrote ${writeSection("hardening", tableOf({ ...before, ...totals }))} (${columns[1]})`);
}
if (Object.values(totals).some(({ isPassed }) => !isPassed)) process.exitCode = 1;
