import type { Lab } from "./lab.ts";

/** Lets a lab write into a directory of the machine. The machine does not change, and the lab's changes end with it. */
export async function ownFolder(lab: Lab, directory: string): Promise<void> {
  const script = `mkdir /run/own && mount -t tmpfs own /run/own && mkdir /run/own/upper /run/own/work &&
    mount -t overlay -o "lowerdir=$1,upperdir=/run/own/upper,workdir=/run/own/work" own "$1"`;
  await lab.run("sh", ["-ec", script, "sh", directory]);
}
