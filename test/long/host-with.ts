import { existsSync } from "node:fs";
import path from "node:path";
import { type Container, Lab, type Outcome } from "../support/lab.ts";
import type { NetworkList } from "../support/runtime.ts";

const dist = path.resolve(import.meta.dirname, "../../dist");

/** The directory of the plugins in a lab. */
export const bin = "/opt/cni/bin";
/** The Node flavor's executable in a lab, for the commands. */
export const cli = "/run/lab/programs/cli";

/** Each flavor, its executable, and the number of replacements. cargo builds the slim one. The Node flavor starts slowly. */
export const flavors = [
  ["Node", `${dist}/bin/cni-wrappers`, 6],
  ["slim", `${dist}/slim/bin/cni-wrappers`, 20],
] as const;
const [[, node]] = flavors;

/** The slim flavor's executable; the Node flavor's without cargo. */
export const smallest = flavors.map(([, file]) => file).findLast((file) => existsSync(file)) ?? node;

/** A lab without wrappers, and two executables of different bytes: a program may end with more bytes than it uses. */
export async function hostWith(executable: string): Promise<Lab> {
  const lab = await Lab.start({ programs: { cli: node, first: executable } });
  await lab.run("umount", [`${bin}/cni-wrappers`]);
  await lab.run("find", [bin, "(", "-type", "l", "-o", "-name", "cni-wrappers", ")", "-delete"]);
  await lab.run("sh", ["-c", "cd /opt && cp /run/lab/programs/first first && cp first second && echo >>second"]);
  return lab;
}

/**
 * Runs CHECK four times at once while `change` runs again and again: until so many CHECKs have ended, and so many changes. Returns
 * those that failed.
 */
export async function failedDuring(
  lab: Lab,
  list: NetworkList,
  container: Container,
  change: (count: number) => Promise<void>,
  { checks: wanted, changes } = { checks: 500, changes: 0 },
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let isDone = false;
  const checks = async () => {
    while (!isDone) outcomes.push(await lab.goCni.check(list, container));
  };
  const running = [checks(), checks(), checks(), checks()];
  try {
    for (let count = 0; outcomes.length < wanted || count < changes; count++) await change(count);
  } finally {
    isDone = true;
    await Promise.all(running);
  }
  return outcomes.filter(({ exitCode }) => exitCode !== 0);
}
