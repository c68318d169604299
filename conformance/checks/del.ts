import { demandSuccess } from "../answer.ts";
import type { ConformanceCase } from "../case.ts";
import { demandUnchanged, hostState, loseNamespace, stateOf } from "../state.ts";
import type { Changes, Trial } from "../trial.ts";

const del = { concerns: "all", since: "0.3.0", section: "2, DEL" } as const;

const lenient: Readonly<Record<string, Changes>> = {
  "with a CNI_NETNS that is gone": { env: { CNI_NETNS: "/run/netns/gone" } },
  "with an empty CNI_NETNS": { env: { CNI_NETNS: "" } },
  "without CNI_NETNS": { env: { CNI_NETNS: undefined } },
  "without prevResult": { config: { prevResult: undefined } },
};

/** What DEL still knows of a namespace that is gone. */
const lost: Readonly<Record<string, Changes>> = {
  "after the namespace is deleted": {},
  "without CNI_NETNS and prevResult": { env: { CNI_NETNS: undefined }, config: { prevResult: undefined } },
};

/** The rules about DEL. */
export const delCases: readonly ConformanceCase[] = [
  {
    ...del,
    level: "SHOULD",
    name: "DEL undoes ADD",
    sentence: "undo any modifications applied in the plugin's `ADD` functionality",
    check: async (trial) => {
      const before = await stateOf(trial);
      await trial.add();
      await passes(trial, {});
      demandUnchanged(await stateOf(trial), before, "the state after DEL");
    },
  },
  {
    ...del,
    level: "MUST",
    name: "a second DEL succeeds",
    sentence:
      "Plugins MUST accept multiple `DEL` calls for the same (`CNI_CONTAINERID`, `CNI_IFNAME`) pair, and return success if the interface in question, or any modifications added, are missing.",
    check: async (trial) => {
      await trial.add();
      await passes(trial, {});
      await passes(trial, {});
    },
  },
  {
    ...del,
    level: "MUST",
    name: "DEL without an ADD before succeeds",
    sentence:
      "Plugins MUST accept multiple `DEL` calls for the same (`CNI_CONTAINERID`, `CNI_IFNAME`) pair, and return success if the interface in question, or any modifications added, are missing.",
    check: (trial) => passes(trial, {}),
  },
  ...Object.entries(lenient).map(([what, changes]) => ({
    ...del,
    level: "SHOULD" as const,
    name: `DEL ${what} succeeds`,
    sentence: "Plugins should generally complete a `DEL` action without error even if some resources are missing.",
    check: async (trial: Trial) => {
      await trial.add();
      await passes(trial, changes);
    },
  })),
  ...Object.entries(lost).map(([what, changes]) => ({
    ...del,
    level: "SHOULD" as const,
    name: `DEL ${what} cleans up the host`,
    sentence:
      "clean up its own resources even if the container network namespace and/or container network interface no longer exist.",
    check: async (trial: Trial) => {
      const before = await hostState(trial);
      await trial.add();
      await loseNamespace(trial);
      await passes(trial, changes);
      demandUnchanged(await hostState(trial), before, "the host's state after DEL");
    },
  })),
  {
    ...del,
    level: "SHOULD",
    name: "DEL after the interface is gone succeeds",
    sentence: "Plugins should generally complete a `DEL` action without error even if some resources are missing.",
    check: async (trial) => {
      await trial.add();
      await trial.loseInterface();
      await passes(trial, {});
    },
  },
  {
    ...del,
    concerns: "ipam",
    section: "3, Lifecycle & Ordering",
    level: "MUST",
    name: "DEL after a failed ADD succeeds",
    sentence: "A _delete_ must still be executed even if the _add_ fails.",
    check: async (trial) => {
      const spied = await trial.withSpy();
      await trial.spy.fail("ADD");
      await trial.call("ADD", spied);
      await passes(trial, spied);
    },
  },
];

async function passes(trial: Trial, changes: Changes): Promise<void> {
  demandSuccess(await trial.call("DEL", changes), "DEL");
}
