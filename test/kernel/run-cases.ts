import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { type Selection, vitestArguments } from "./cases.ts";
import { type Report, resultsOf, withUncaught } from "./results.ts";
import { inSecondKernel, sharedFolder } from "./second-kernel.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** Runs cases of a folder of tests in a second kernel, in the vitest project of that folder with this suffix. */
export function runCases(
  folder: "e2e" | "runtimes",
  suffix: string,
  selection: Selection,
  cpu?: number,
): Promise<Report> {
  const command = [path.join(root, "node_modules/.bin/node"), "node_modules/vitest/vitest.mjs", "run"];
  const options = [
    "--project",
    `${folder}${suffix}`,
    // The clone cannot be written there.
    "--configLoader=runner",
    // One CPU: another thread only makes it slower. So do the starts of vitest's processes.
    ...["--pool=threads", "--no-isolate", "--maxWorkers=1"],
    // The report does not have errors outside the cases.
    ...["--reporter=dot", "--reporter=json", `--outputFile.json=${sharedFolder}/report.json`],
  ];
  return inSecondKernel(
    [...command, ...options, ...vitestArguments(selection, folder)],
    (ended, directory) => {
      const file = path.join(directory, "report.json");
      if (!existsSync(file)) throw new Error(`vitest left no report:\n${ended.stdout}${ended.stderr}`);
      return withUncaught(resultsOf(selection, JSON.parse(readFileSync(file, "utf8"))), ended);
    },
    cpu,
  );
}
