import { rmSync } from "node:fs";
import path from "node:path";
import { examples } from "../support/examples.ts";
import { everyNth } from "./cases.ts";
import { caseOf, type Moment, momentsOf } from "./moments.ts";
import { boot, readShared, untilThere, withFolder } from "./second-kernel.ts";

/** The result of a case: its problems, one sentence each. */
export interface Told {
  readonly name: string;
  readonly problems: readonly string[];
}

/** What one kernel goes through: examples by name, and moments. */
export interface Work {
  readonly examples: readonly string[];
  readonly moments: readonly Moment[];
}

/** The problems of each example and each moment. */
export type Problems = Record<string, string[]>;

/** The file in the boot's folder with the problems of a boot. */
export const problemsFile = "problems.json";

/** The wrappers' directory, the CPU, and which of `parts` runs its cases. */
export interface Rebooting {
  readonly bin: string;
  readonly part: number;
  readonly parts: number;
  readonly cpu: number | undefined;
}

/**
 * Two boots: the first one attaches every example and comes to every moment of ADD and DEL, and then its power is pulled.
 * In the second one, every example comes back, and a verb finishes or removes what was cut.
 */
export function reboots(own: Rebooting): Promise<Told[]> {
  return withFolder(async (folder) => {
    const work = workOf(own);
    const first = await problemsOf("first", work, own, folder);
    const second = await problemsOf("second", work, own, folder);
    const told = (key: string, name: string): Told => ({
      name,
      problems: [...(first[key] ?? ["did not run"]), ...(second[key] ?? ["did not run"])],
    });
    return [
      ...work.examples.map((name) =>
        told(name, `${name}.conflist comes back after a reboot with its addresses, and DEL leaves nothing`),
      ),
      ...work.moments.map((moment) => told(moment.cut, caseOf(moment))),
    ];
  });
}

function workOf({ part, parts }: Rebooting): Work {
  return { examples: everyNth(Object.keys(examples), part, parts), moments: momentsOf(part, parts) };
}

/** Boots, waits until the problems are there, and pulls the power. */
async function problemsOf(which: string, work: Work, { bin, cpu }: Rebooting, folder: string): Promise<Problems> {
  rmSync(path.join(folder, problemsFile), { force: true });
  const booted = await boot([...programOf("inside.ts", bin), which, JSON.stringify(work)], folder, cpu);
  const early = await Promise.race([
    booted.ended.then(({ stderr }) => stderr, String),
    untilThere(path.join(folder, problemsFile)),
  ]);
  await booted.pullPower();
  const found = readShared(folder, problemsFile);
  if (found === "") throw new Error(`the ${which} boot ended early: ${early}`);
  return JSON.parse(found);
}

/** The command of a program in this folder that uses the wrappers of a directory. */
export function programOf(file: string, bin: string): string[] {
  return ["env", `CNI_WRAPPERS_BIN=${bin}`, "node_modules/.bin/node", `test/kernel/${file}`];
}
