import { demandEqual, demandError, demandSuccess, type Result } from "../answer.ts";
import type { ConformanceCase } from "../case.ts";
import { hintsOf } from "../target.ts";
import type { Changes, Trial } from "../trial.ts";

const creators = { concerns: "interface", since: "0.3.0", section: "2, ADD", level: "MUST" } as const;

/** The rules about several attachments. */
export const attachmentCases: readonly ConformanceCase[] = [
  {
    ...creators,
    since: "0.4.0",
    level: "SHOULD",
    name: "a container gets a second interface, whose DEL leaves the first one",
    sentence:
      "This implies that a given container ID may be added to a specific network more than once only if each addition is done with a different interface name.",
    check: secondInterface,
  },
  {
    ...creators,
    name: "a second ADD of an attachment fails, and the first one keeps its address",
    sentence:
      "If an interface of the requested name already exists in the container, the CNI plugin MUST return with an error.",
    check: async (trial) => {
      await trial.add();
      const addresses = () => trial.lab.kernel.addresses(trial.container, trial.ifName);
      const before = await addresses();
      trial.prevResult = undefined;
      demandError(await trial.call("ADD"), "the second ADD");
      demandEqual(await addresses(), before, "the addresses");
    },
  },
  {
    ...creators,
    concerns: "all",
    section: "3, Lifecycle & Ordering",
    name: "four ADDs of different containers at once succeed",
    sentence: "Plugins must handle being executed concurrently across different containers.",
    check: addAtOnce,
  },
];

/** The changes for another interface of the container. */
export function as(name: string): Changes {
  return { env: { CNI_IFNAME: name }, config: { prevResult: undefined } };
}

async function secondInterface(trial: Trial): Promise<void> {
  const { lab, container, ifName, target, number } = trial;
  await trial.add();
  const before = await lab.kernel.addresses(container, ifName);
  const leases = await lab.kernel.leases();
  const changes = { ...as("eth5"), config: { ...as("eth5").config, ...hintsOf(target, number).second } };
  demandSuccess(await trial.call("ADD", changes), "ADD of the second interface");
  demandSuccess(await trial.call("DEL", changes), "DEL of the second interface");
  demandEqual(await lab.kernel.addresses(container, ifName), before, "the addresses of the first interface");
  demandEqual(await lab.kernel.leases(), leases, "the leases");
}

async function addAtOnce(trial: Trial): Promise<void> {
  const others = await trial.others(4);
  try {
    const answers = await Promise.all(others.map((other) => other.call("ADD")));
    for (const answer of answers) demandSuccess(answer, "ADD");
    const addresses = answers.flatMap(({ json }) => (json as Result | undefined)?.ips?.map(({ address }) => address));
    demandEqual(new Set(addresses).size, addresses.length, "different addresses");
  } finally {
    for (const other of others) await other.end();
  }
}
