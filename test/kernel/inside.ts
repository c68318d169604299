// Runs in the second kernel: `node test/kernel/inside.ts first|second WORK`. WORK is JSON: examples, and moments of ADD and
// DEL. The first boot attaches the examples and comes to every moment. Then it waits until the power is pulled. The second
// boot attaches the examples again, and finishes or removes what was cut. Both leave the problems of each in a file.
import { renameSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { attachExample, exampleComesBack } from "./inside-examples.ts";
import { comeToMoments } from "./inside-power.ts";
import { recoverMoments } from "./inside-recovery.ts";
import { type Problems, problemsFile, type Work } from "./reboots.ts";
import { sharedFolder } from "./second-kernel.ts";

const [boot = "", text = ""] = process.argv.slice(2);
const { examples, moments }: Work = JSON.parse(text);

if (boot === "first") {
  tell({ ...(await ofEach(examples, attachExample)), ...(await comeToMoments(moments)) });
  // The power must not find the labs' end.
  await setTimeout(2 ** 31 - 1);
} else {
  tell({ ...(await ofEach(examples, exampleComesBack)), ...(await recoverMoments(moments)) });
}

async function ofEach(names: readonly string[], problemsOf: (name: string) => Promise<string[]>): Promise<Problems> {
  const found: Problems = {};
  for (const name of names) found[name] = await problemsOf(name).catch((error: unknown) => [String(error)]);
  return found;
}

/** The file appears with its whole content. */
function tell(found: Problems): void {
  const file = `${sharedFolder}/${problemsFile}`;
  writeFileSync(`${file}.new`, JSON.stringify(found));
  renameSync(`${file}.new`, file);
}
