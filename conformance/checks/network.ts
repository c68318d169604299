import { demandEqual, demandSuccess } from "../answer.ts";
import type { ConformanceCase } from "../case.ts";
import { demandUnchanged, hostState, loseNamespace, stateOf } from "../state.ts";
import type { Changes, Trial } from "../trial.ts";

const ofNetwork = { concerns: "all", since: "1.1.0" } as const;

/** GC and STATUS get no attachment. */
const noAttachment = { CNI_CONTAINERID: undefined, CNI_NETNS: undefined, CNI_IFNAME: undefined };

/** The rules about GC and STATUS, except for IPAM. */
export const networkCases: readonly ConformanceCase[] = [
  {
    ...ofNetwork,
    section: "2, STATUS",
    level: "MUST",
    name: "STATUS of a plugin that is ready succeeds, without the variables of an attachment",
    sentence: "A plugin must exit with a zero (success) return code if the plugin is ready to service ADD requests.",
    check: async (trial) => {
      const config = { prevResult: undefined };
      demandSuccess(await trial.call("STATUS", { env: noAttachment, config }), "STATUS");
    },
  },
  {
    ...ofNetwork,
    section: "2, GC",
    level: "MUST",
    name: "GC succeeds and prints nothing",
    sentence: 'No output on success, ["error" result structure](#Error) on error.',
    check: async (trial) => {
      const answer = await trial.call("GC", valid());
      demandSuccess(answer, "GC");
      demandEqual(answer.stdout, "", "stdout");
    },
  },
  {
    ...ofNetwork,
    section: "2, GC",
    level: "MUST",
    name: "GC leaves valid attachments",
    sentence: "The network plugin may then remove any resources related to attachments that do not exist in this set.",
    check: async (trial) => {
      await trial.add();
      const before = await stateOf(trial);
      demandSuccess(await trial.call("GC", valid(trial)), "GC");
      demandUnchanged(await stateOf(trial), before, "the state after GC");
    },
  },
  {
    ...ofNetwork,
    section: "2, GC",
    level: "SHOULD",
    name: "GC removes what a stale attachment left on the host",
    sentence: "A plugin SHOULD remove as many stale resources as possible.",
    check: async (trial) => {
      const before = await hostState(trial);
      await trial.add();
      await loseNamespace(trial);
      demandSuccess(await trial.call("GC", valid()), "GC");
      demandUnchanged(await hostState(trial), before, "the host's state after GC");
    },
  },
];

/** The call of GC with these valid attachments. */
function valid(...trials: readonly Trial[]): Changes {
  const list = trials.map(({ id, ifName }) => ({ containerID: id, ifname: ifName }));
  return { env: noAttachment, config: { prevResult: undefined, "cni.dev/valid-attachments": list } };
}
