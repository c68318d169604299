// `npm run test:settings`: for each setting of the table, somebody who has it clones the last commit and runs set-up, both
// builds and cases of each step. `-- --only TEXT` chooses settings by a part of their name.

import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { given } from "../../support/given.ts";
import { makeCaller } from "./caller.ts";
import { type Setting, settings } from "./table.ts";

const root = join(import.meta.dirname, "../../..");
const { only } = given({ only: "" });

/** The npm scripts that run set-up, both builds and cases of each step of `npm test`. */
const scripts = [
  // It builds both flavors.
  ["differential"],
  ["lint"],
  [
    "test:only",
    "--",
    ...["test/unit/about.test.ts", "test/unit/nomad-jobs.test.ts", "test/unit/cli/install/"],
    ...["test/executable/version.test.ts", "test/executable/temporary-files.test.ts"],
    ...["test/executable/build/npm.test.ts", "test/executable/build/stamp.test.ts"],
    ...["test/e2e/status.test.ts", "test/e2e/del.test.ts"],
  ],
];

/** Returns the command that failed, with its output; nothing if all passed. */
async function problemOf(setting: Setting): Promise<string | undefined> {
  using place = mkdtempDisposableSync(join(tmpdir(), "cni-wrappers-settings-"));
  const clone = join(place.path, "source/clone");
  const start = makeCaller(setting, join(place.path, "home"));
  const commands = [
    // With the variables of a hook, git would make the clone somewhere else.
    [place.path, "sh", "-c", 'unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE; git clone --quiet "$@"', "sh", root, clone],
    [clone, "sh", "-c", setting.inClone ?? ":"],
    ...scripts.map((script) => [clone, "npm", "run", "--silent", ...script]),
  ];
  for (const [directory = "", ...command] of commands) {
    const { exitCode, all } = await start(directory, ...command);
    if (exitCode !== 0) return `${command.join(" ")}: exit code ${exitCode}\n${all.trimEnd().slice(-5000)}`;
  }
  return undefined;
}

const chosen = Object.entries(settings).filter(([name]) => name.includes(only));
const failed: string[] = [];
for (const [name, setting] of chosen) {
  const started = performance.now();
  const problem = await problemOf(setting);
  if (problem !== undefined) failed.push(name);
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${name}: ${problem === undefined ? "ok" : "FAILED"} (${seconds} s)${problem ? `\n${problem}` : ""}`);
}
console.log(`${chosen.length - failed.length} passed, ${failed.length} failed`);
if (failed.length > 0 || chosen.length === 0) process.exitCode = 1;
