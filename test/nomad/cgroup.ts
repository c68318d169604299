import type { Lab } from "../support/lab.ts";
import { oldestNomad, versionOf } from "../support/nomad.ts";

/**
 * Gives a lab a directory that looks like cgroups if its Nomad is 1.9.5, which starts no raw_exec task without cgroups. A test
 * must not make any on the machine. No network depends on them.
 */
export async function imitateCgroups(lab: Lab, nomad: string): Promise<void> {
  if ((await versionOf(nomad)) !== oldestNomad) return;
  await lab.run("mount", ["-t", "tmpfs", "lab", "/sys/fs/cgroup"]);
  await lab.run("mkdir", ["/sys/fs/cgroup/cpuset"]);
  await lab.writeFile("/sys/fs/cgroup/cpuset/cpuset.mems", "0");
}
