import type { Lab } from "../support/lab.ts";

/**
 * Gives a lab a directory that looks like cgroups. Nomad 1.9.5 starts no raw_exec task without cgroups, and a test must
 * not make any on the machine. No network depends on them.
 */
export async function imitateCgroups(lab: Lab): Promise<void> {
  await lab.run("mount", ["-t", "tmpfs", "lab", "/sys/fs/cgroup"]);
  await lab.run("mkdir", ["/sys/fs/cgroup/cpuset"]);
  await lab.writeFile("/sys/fs/cgroup/cpuset/cpuset.mems", "0");
}
