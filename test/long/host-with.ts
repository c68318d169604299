import { existsSync } from "node:fs";
import path from "node:path";
import { Lab } from "../support/lab.ts";

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
  const lab = await Lab.start({ plugins: "1.9.1", programs: { cli: node, first: executable } });
  await lab.run("umount", [`${bin}/cni-wrappers`]);
  await lab.run("find", [bin, "(", "-type", "l", "-o", "-name", "cni-wrappers", ")", "-delete"]);
  await lab.run("sh", ["-c", "cd /opt && cp /run/lab/programs/first first && cp first second && echo >>second"]);
  return lab;
}
