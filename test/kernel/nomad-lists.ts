import { inSecondKernel } from "./second-kernel.ts";

/** The lists of hashicorp/nomad#11085, which `inside-nomad.ts` has. */
const names = ["two-ipvlans", "vlan-and-ipvlan"];

/** The result of a case: its problems, one sentence each. */
interface Told {
  readonly name: string;
  readonly problems: readonly string[];
}

/** A real Nomad in a second kernel runs an allocation with each list, restarts its client, and stops the job. */
export async function nomadLists(bin: string, cpu: number | undefined): Promise<Told[]> {
  const told: Told[] = [];
  for (const list of names) {
    const name = `${list}: an allocation starts, survives a restart of the client, and leaves nothing`;
    told.push({ name, problems: await problemsOf(list, bin, cpu) });
  }
  return told;
}

// The agents' files and the task need more memory than the other cases, and a place outside the lab's own /run.
function problemsOf(list: string, bin: string, cpu: number | undefined): Promise<string[]> {
  const program = [`CNI_WRAPPERS_BIN=${bin}`, "node_modules/.bin/node", "test/kernel/inside-nomad.ts"];
  const command = ["env", "TMPDIR=/dev/shm", ...program, list];
  return inSecondKernel(command, ({ stdout, stderr }) => (stdout === "" ? [stderr] : JSON.parse(stdout)), cpu, "3G");
}
