import { demandEqual, demandError, demandSuccess } from "../answer.ts";
import type { ConformanceCase } from "../case.ts";
import { spyError } from "../spy.ts";
import { demandUnchanged, hostState, loseNamespace } from "../state.ts";
import type { Changes, Trial } from "../trial.ts";

const toIpam = { concerns: "ipam", since: "0.3.0", section: "4, Delegated plugin execution procedure" } as const;

/** The verbs whose calls go to IPAM as well, and the levels of the rules. */
const verbs = [
  { verb: "CHECK", since: "0.4.0", level: "SHOULD" },
  { verb: "DEL", since: "0.3.0", level: "MUST" },
  { verb: "GC", since: "1.1.0", level: "MUST" },
  { verb: "STATUS", since: "1.1.0", level: "MUST" },
] as const;

const delegated =
  "If a plugin is executed with `CNI_COMMAND=CHECK`, `DEL`, or `GC`, it must also execute any delegated plugins.";
const delegatedError = "If any of the delegated plugins return error, error should be returned by the upper plugin.";
const status =
  "If a plugin relies on a delegated plugin (e.g. IPAM) to service `ADD` requests, it must also execute a `STATUS` request to that plugin when it receives a `STATUS` request for itself.";
const statusError =
  "If the delegated plugin return an error result, the executing plugin should return an error result.";

/** The rules about the other verbs of plugins that delegate to IPAM. */
export const delegatedVerbCases: readonly ConformanceCase[] = [
  ...verbs.flatMap(({ verb, since, level }): ConformanceCase[] => [
    {
      ...toIpam,
      since,
      level,
      name: `${verb} runs ${verb} of IPAM`,
      sentence: verb === "STATUS" ? status : delegated,
      check: async (trial) => {
        demandSuccess(await callWithIpam(trial, verb), verb);
        demandEqual((await trial.spy.verbs()).includes(verb), true, `IPAM was run with ${verb}`);
      },
    },
    {
      ...toIpam,
      since,
      level: "SHOULD",
      name: `${verb} fails if ${verb} of IPAM fails`,
      sentence: verb === "STATUS" ? statusError : delegatedError,
      check: async (trial) => demandError(await callWithIpam(trial, verb, () => trial.spy.fail(verb)), verb),
    },
  ]),
  {
    ...toIpam,
    since: "1.1.0",
    section: "2, STATUS",
    level: "MUST",
    name: "STATUS fails if the IPAM plugin is missing",
    sentence:
      "If a plugin relies on a delegated plugin (e.g. IPAM) to service `ADD` requests, it must also execute a `STATUS` request to that plugin when it receives a `STATUS` request for itself.",
    check: async (trial) => {
      demandSuccess(await trial.call("STATUS", ofNetwork(await trial.withSpy())), "STATUS");
      demandError(await trial.call("STATUS", ofNetwork({ config: { ipam: { type: "no-such-plugin" } } })), "STATUS");
    },
  },
  {
    ...toIpam,
    since: "1.1.0",
    section: "2, STATUS",
    level: "SHOULD",
    name: "ADD and DEL succeed although STATUS fails",
    sentence:
      "Plugins should always expect other CNI operations (like `ADD`, `DEL`, etc) even if `STATUS` returns an error.",
    check: async (trial) => {
      const spied = await trial.withSpy();
      await trial.spy.fail("STATUS");
      demandError(await trial.call("STATUS", ofNetwork(spied)), "STATUS");
      await trial.add(spied);
      demandSuccess(await trial.call("DEL", spied), "DEL");
    },
  },
  {
    ...toIpam,
    since: "1.1.0",
    section: "2, GC",
    level: "SHOULD",
    name: "GC goes on after an error of IPAM: it removes the plugin's own resources",
    sentence:
      "If an error is encountered, a plugin should continue; removing as many resources as possible, and report the errors back to the runtime.",
    check: async (trial) => {
      const before = await hostState(trial);
      const spied = await trial.withSpy();
      await trial.add(spied);
      await loseNamespace(trial);
      await trial.spy.fail("GC");
      await trial.call("GC", ofNetwork(spied));
      demandUnchanged(await hostState(trial), before, "the host's state after GC");
    },
  },
  {
    ...toIpam,
    section: "2, DEL",
    level: "SHOULD",
    name: "DEL without CNI_NETNS runs DEL of IPAM",
    sentence:
      "For example, an IPAM plugin should generally release an IP allocation and return success even if the container network namespace no longer exists",
    check: async (trial) => {
      const spied = await trial.withSpy();
      await trial.add(spied);
      demandSuccess(await trial.call("DEL", { ...spied, env: { CNI_NETNS: undefined } }), "DEL");
      demandEqual((await trial.spy.verbs()).includes("DEL"), true, "IPAM was run with DEL");
    },
  },
  {
    ...toIpam,
    section: "2, DEL",
    level: "SHOULD",
    name: "DEL runs DEL of IPAM even if the namespace is gone",
    sentence:
      "For example, an IPAM plugin should generally release an IP allocation and return success even if the container network namespace no longer exists",
    check: async (trial) => {
      const spied = await trial.withSpy();
      await trial.add(spied);
      await loseNamespace(trial);
      demandSuccess(await trial.call("DEL", spied), "DEL");
      demandEqual((await trial.spy.verbs()).includes("DEL"), true, "IPAM was run with DEL");
    },
  },
  {
    ...toIpam,
    section: "2, CHECK",
    since: "1.0.0",
    level: "SHOULD",
    name: "CHECK passes the error of IPAM on",
    sentence:
      "The plugin should call `CHECK` on any delegated (e.g. IPAM) plugins and pass any errors on to its caller.",
    check: async (trial) => {
      const answer = await callWithIpam(trial, "CHECK", () => trial.spy.fail("CHECK"));
      demandEqual(answer.json?.code, spyError.code, "the code");
    },
  },
];

/** ADD, then another verb. GC and STATUS have no attachment. */
async function callWithIpam(trial: Trial, verb: string, before?: () => Promise<void>) {
  const spied = await trial.withSpy();
  await trial.add(spied);
  await before?.();
  const isOfNetwork = verb === "GC" || verb === "STATUS";
  return trial.call(verb, isOfNetwork ? ofNetwork(spied) : spied);
}

function ofNetwork({ config }: Changes): Changes {
  const none = { CNI_CONTAINERID: undefined, CNI_NETNS: undefined, CNI_IFNAME: undefined };
  return { env: none, config: { ...config, prevResult: undefined, "cni.dev/valid-attachments": [] } };
}
