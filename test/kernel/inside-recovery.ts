import { Lab, type Outcome } from "../support/lab.ts";
import { leftOfContainers } from "../support/leftovers.ts";
import { type Cut, cutsOf, list, rememberedAddresses } from "./inside-power.ts";
import type { Moment } from "./moments.ts";
import type { Problems } from "./reboots.ts";
import { sharedFolder } from "./second-kernel.ts";

/** Recovers a container in a lab, and adds the problems. `others` are the other containers' names. */
type Recovery = (lab: Lab, cut: Cut, problems: string[], others: readonly string[]) => Promise<void>;

const recoveries: Record<Moment["recover"], Recovery> = { ADD: finish, DEL: remove, GC: collect };

/** Finishes or removes what was cut. Returns what is wrong or left for each moment. */
export async function recoverMoments(moments: readonly Moment[]): Promise<Problems> {
  await using lab = await Lab.start({ disk: `${sharedFolder}/disk` });
  const cuts = cutsOf(moments);
  const found: Problems = {};
  // ADD comes last, so every DEL and GC has others that it must leave alone.
  const isAdd = ({ recover }: Moment) => Number(recover === "ADD");
  let before = await tracesOf(lab);
  for (const each of cuts.toSorted((one, other) => isAdd(one) - isAdd(other))) {
    const { problems, after } = await recover(lab, each, cuts, before);
    found[each.cut] = problems;
    before = after;
  }
  return found;
}

/** Returns the problems, and the traces of all containers after it. */
async function recover(lab: Lab, cut: Cut, cuts: readonly Cut[], before: readonly string[]) {
  const problems: string[] = [];
  const isOwn = naming(cut);
  const others = cuts.filter((each) => each !== cut).map(({ container }) => container.name);
  await recoveries[cut.recover](lab, cut, problems, others).catch((error: unknown) => problems.push(String(error)));
  const after = await tracesOf(lab);
  const left = after.filter((trace) => isOwn(trace) || !before.includes(trace));
  const lost = before.filter((trace) => !isOwn(trace) && !after.includes(trace));
  problems.push(...left.map((trace) => `left: ${trace}`), ...lost.map((trace) => `lost by others: ${trace}`));
  return { problems, after };
}

async function finish(lab: Lab, cut: Cut, problems: string[]): Promise<void> {
  const { container } = cut;
  await lab.addContainer(container.name);
  note(problems, "ADD", await lab.goCni.add(list, container));
  note(problems, "CHECK", await lab.goCni.check(list, container));
  await tryAddress(lab, cut, problems, "eth0", "172.16.5.");
  await tryAddress(lab, cut, problems, "eth1", "172.26.64.");
  note(problems, "DEL", await lab.goCni.del(list, container));
}

/** An interface has one address, the former one if it was complete. CHECK sees when it is gone. */
async function tryAddress(lab: Lab, cut: Cut, problems: string[], name: string, subnet: string): Promise<void> {
  const { container, keeps = [] } = cut;
  const [address = "none", ...more] = await lab.kernel.addresses(container, name);
  if (!address.startsWith(subnet) || more.length > 0) problems.push(`${name} has ${[address, ...more]}`);
  const former = rememberedAddresses(container)[name];
  if (keeps.includes(name) && address !== former?.join()) problems.push(`${name} has ${address} instead of ${former}`);
  await lab.ip(container, "address", "del", address, "dev", name);
  const { exitCode } = await lab.goCni.check(list, container);
  if (exitCode === 0) problems.push(`CHECK does not see that ${name} lost its address`);
  await lab.ip(container, "address", "add", address, "dev", name);
}

async function remove(lab: Lab, cut: Cut, problems: string[], others: readonly string[]): Promise<void> {
  // After a reboot the namespace is gone.
  note(problems, "DEL", await lab.goCni.del(list, { ...cut.container, netns: "" }));
  // GC could hide what DEL left.
  const left = (await tracesOf(lab)).filter(naming(cut));
  problems.push(...left.map((trace) => `left after DEL: ${trace}`));
  await collect(lab, cut, problems, others);
}

/** GC with every other container as valid. */
async function collect(lab: Lab, _cut: Cut, problems: string[], others: readonly string[]): Promise<void> {
  const valid = others.map((containerID) => ({ containerID, ifname: "eth0" }));
  note(problems, "GC", await lab.goCni.gc(list, valid));
}

function note(problems: string[], what: string, { exitCode, stderr }: Outcome): void {
  if (exitCode !== 0) problems.push(`${what}: ${stderr}`);
}

/** The traces of all containers. Those of leases get the container's name, which only the file has. */
async function tracesOf(lab: Lab): Promise<string[]> {
  const traces = await leftOfContainers(lab, ["disc0"]);
  return Promise.all(
    traces.map(async (trace) => {
      const [, file] = /^lease (.*)/.exec(trace) ?? [];
      return file ? `${trace} of ${(await lab.readFile(`/var/lib/cni/networks/${file}`)).split(/\s/)[0]}` : trace;
    }),
  );
}

function naming({ container }: Cut): (trace: string) => boolean {
  const name = new RegExp(`\\b${container.name}\\b`);
  return (trace) => name.test(trace);
}
