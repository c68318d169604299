import { cpSync, existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { bridge, macvlan, twoInterfaces, zone } from "../e2e/support.ts";
import type { Lab } from "../support/lab.ts";
import { ownFolder } from "../support/own-folder.ts";
import { writeArchives } from "../support/rollout-archives.ts";
import { built, root, scratch } from "../support/tree.ts";
import { version } from "../support/version.ts";
import type { Cluster } from "./cluster.ts";
import { jobOf } from "./jobs.ts";
import { installScripts } from "./states/host.ts";
import type { AllocationState } from "./survey.ts";

/** The list of a script that makes eth1 and does not report it, so the list has CHECK disabled. */
export const oldList = { ...zone(macvlan, { ...bridge, type: "bridge-forgetting" }), disableCheck: true };

export const newList = twoInterfaces();

/** The repository with the archives of a release, as an operator has it. The commands write files there. */
export async function cloneWithArchives(): Promise<string> {
  const directory = scratch();
  cpSync(path.join(root, "conf-examples"), path.join(directory, "conf-examples"), { recursive: true });
  const release = path.join(directory, "dist/release");
  mkdirSync(release, { recursive: true });
  // Without cargo there is no slim flavor.
  const slim = path.join(root, "dist/slim/bin/cni-wrappers");
  const executable = existsSync(slim) ? slim : path.join(built("bin"), "cni-wrappers");
  await writeArchives(release, { [version]: executable });
  return directory;
}

/** A host without the wrappers, with the old list. */
export async function installOldList(lab: Lab): Promise<void> {
  await ownFolder(lab, "/usr/local/bin");
  await lab.run("sh", ["-ec", "cd /opt/cni/bin; umount cni-wrappers; rm cni-wrappers *-wrapper; mkdir ../config"]);
  await installScripts(lab);
  await lab.ip(undefined, "address", "add", "172.16.5.1/24", "dev", "uplink1");
  await lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(oldList));
}

/** A job whose groups each have one allocation on each of so many hosts. */
export function jobOnEachHost(hosts: number, groups: number) {
  const job = jobOf({ id: "web", network: "cni/zone", count: hosts, isLean: true });
  const all = Array.from({ length: groups }, (_, index) =>
    job.TaskGroups.map((group) => ({ ...group, Name: `g${index}`, Constraints: [{ Operand: "distinct_hosts" }] })),
  );
  return { ...job, TaskGroups: all.flat() };
}

/** The state of each running allocation of that job, client by client. */
export async function surveysOf(cluster: Cluster): Promise<AllocationState[]> {
  const states: AllocationState[] = [];
  for (const client of cluster.clients) states.push(...(await cluster.survey("web", client)));
  return states;
}
