// Runs in the second kernel: `node test/kernel/inside-nomad.ts NAME`. A real Nomad runs an allocation with one of the lists
// of hashicorp/nomad#11085, restarts its client, and stops the job. Prints the problems as JSON.
import { hostLocal, zone } from "../e2e/support.ts";
import { jobOf } from "../nomad/jobs.ts";
import { isDealtWith, isPassedCheck } from "../nomad/log.ts";
import { NomadLab } from "../nomad/nomad-lab.ts";
import { isSound, survived } from "../nomad/survey.ts";
import type { Lab } from "../support/lab.ts";
import { leftovers } from "../support/leftovers.ts";
import { say } from "../support/progress.ts";
import type { NetworkList } from "../support/runtime.ts";

const master = "uplink0";
const ipvlan = { type: "ipvlan-wrapper", master };
const vlan = { type: "vlan-wrapper", master, vlanId: 5, ipam: hostLocal("172.16.7.0/24") };
const second = { ...ipvlan, wrapper: { ifName: "eth1" }, ipam: hostLocal("172.16.6.0/24") };

const lists: Readonly<Record<string, NetworkList>> = {
  "two-ipvlans": zone({ ...ipvlan, ipam: hostLocal("172.16.5.0/24") }, second),
  "vlan-and-ipvlan": zone(vlan, second),
};

NomadLab.onEnd = say;
const [name = ""] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await problemsOf(lists[name] ?? zone(""))));

async function problemsOf(list: NetworkList): Promise<string[]> {
  await using nomad = await NomadLab.start({ networks: [list], prepare, patience: 1200 });
  say("the client is ready");
  await nomad.run(jobOf({ network: "cni/zone", isLean: true }));
  const before = await nomad.survey("job");
  say(JSON.stringify(before));
  const problems = before.some(isSound) ? [] : ["the allocation is not sound"];
  await nomad.restartClient();
  await nomad.untilLogged(1, isDealtWith);
  const after = await nomad.survey("job");
  say(JSON.stringify(after));
  if (!(await nomad.logLines()).some(isPassedCheck)) problems.push("CHECK did not pass");
  if (!before.some((state) => survived(state, after))) problems.push("the allocation did not survive");
  await nomad.stop("job");
  const left = await leftovers(nomad.lab, ["uplink1.5"]);
  return [...problems, ...left.map((each) => `left: ${each}`)];
}

/** A place for the executor's socket, and the host's addresses on the other end of the master. */
async function prepare(lab: Lab): Promise<void> {
  await lab.run("mount", ["-t", "tmpfs", "lab", "/tmp"]);
  await lab.ip(undefined, "address", "add", "172.16.6.1/24", "dev", "uplink1");
  await lab.ip(undefined, "link", "add", "uplink1.5", "link", "uplink1", "type", "vlan", "id", "5");
  await lab.ip(undefined, "address", "add", "172.16.7.1/24", "dev", "uplink1.5");
  await lab.ip(undefined, "link", "set", "uplink1.5", "up");
}
