import { benchPrograms } from "../../support/go.ts";
import { type Container, Lab } from "../../support/lab.ts";
import { type Verb, verbs } from "./decisions.ts";

/** The peak memory of a wrapper's call, for one call and for many at once: the highest of all. In KiB. */
export interface Peak {
  readonly verb: Verb;
  readonly alone: number;
  readonly atOnce: number;
}

/** The kernel counts shared pages of the executable, and how many of them a call touches differs a little. */
const tolerance = 1.1;

/** Measures each verb of macvlan-wrapper until it runs the plugin. */
export async function peaksOf(atOnce: number): Promise<Peak[]> {
  const { footprint } = await benchPrograms();
  await using lab = await Lab.start({ programs: { footprint } });
  const alone = await measure(lab, 1);
  const all = await measure(lab, atOnce);
  return verbs.map((verb) => ({ verb, alone: alone[verb], atOnce: all[verb] }));
}

/** Whether a call needs no more memory if many run at once. */
export function isFlat({ alone, atOnce }: Peak): boolean {
  return alone > 0 && atOnce <= alone * tolerance;
}

async function measure(lab: Lab, count: number): Promise<Record<Verb, number>> {
  const containers = await Promise.all(Array.from({ length: count }, (_, index) => lab.addContainer(`m${index}`)));
  await Promise.all(containers.map((container, index) => writePlan(lab, container, index)));
  const names = containers.map(({ name }) => name);
  const script = 'for name; do /run/lab/programs/footprint "/run/lab/$name.json" >"/run/lab/$name" & done; wait';
  await lab.run("sh", ["-ec", script, "sh", ...names]);
  const found = await Promise.all(
    names.map(async (name) => (await lab.readFile(`/run/lab/${name}`)).trim().split("\n")),
  );
  for (const container of containers) await lab.deleteNamespace(container);
  const peakOf = (index: number) =>
    Math.max(...found.map((lines) => JSON.parse(lines[index] ?? "{}").peakKiB ?? Number.NaN));
  return { ADD: peakOf(0), CHECK: peakOf(1), DEL: peakOf(2) };
}

/** The plan of footprint: the three verbs in turn. It expects that each call succeeds. */
async function writePlan(lab: Lab, { name, netns }: Container, index: number): Promise<void> {
  const address = `172.16.${index}.2/16`;
  const prevResult = {
    cniVersion: "1.1.0",
    interfaces: [{ name: "eth0", sandbox: netns }],
    ips: [{ address, interface: 0 }],
  };
  const own = { cniVersion: "1.1.0", name: "memory", type: "macvlan-wrapper", master: "uplink0" };
  const configuration = { ...own, ipam: { type: "static", addresses: [{ address }] } };
  await lab.writeFile(`/run/lab/${name}-ADD`, JSON.stringify(configuration));
  for (const verb of ["CHECK", "DEL"]) {
    await lab.writeFile(`/run/lab/${name}-${verb}`, JSON.stringify({ ...configuration, prevResult }));
  }
  const commands = verbs.map((verb) => ({
    argv: [`${Lab.pluginPath}/macvlan-wrapper`],
    env: [
      "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
      `CNI_COMMAND=${verb}`,
      `CNI_CONTAINERID=${name}`,
      `CNI_NETNS=${netns}`,
      "CNI_IFNAME=eth0",
      `CNI_PATH=${Lab.pluginPath}`,
    ],
    stdin: `/run/lab/${name}-${verb}`,
    delegate: `${Lab.pluginPath}/macvlan`,
  }));
  await lab.writeFile(`/run/lab/${name}.json`, JSON.stringify({ commands }));
}
