import { demandEqual, demandError } from "../answer.ts";
import type { ConformanceCase } from "../case.ts";
import { demand } from "../specification.ts";
import { spyType, spyWords } from "../spy.ts";
import type { Trial } from "../trial.ts";

const toIpam = { concerns: "ipam", since: "0.3.0", section: "4, Delegated plugin execution procedure" } as const;

/** The rules about ADD of plugins that delegate to IPAM. */
export const delegationCases: readonly ConformanceCase[] = [
  {
    ...toIpam,
    level: "MUST",
    name: "IPAM gets every variable of the plugin",
    sentence:
      "The delegated plugin must receive all the same environment variables that were passed in to the CNI plugin.",
    check: async (trial) => {
      const env = { CNI_ARGS: "IgnoreUnknown=1;app=web", OTHER: "kept" };
      const spied = await trial.withSpy();
      await trial.add({ ...spied, env });
      const [first] = await trial.spy.calls();
      const wanted = { ...env, CNI_COMMAND: "ADD", CNI_CONTAINERID: trial.id, CNI_IFNAME: trial.ifName };
      const all: Record<string, string> = { ...wanted, CNI_NETNS: trial.container.netns, CNI_PATH: trial.path };
      for (const [name, value] of Object.entries(all)) demandEqual(first?.env[name], value, name);
    },
  },
  {
    ...toIpam,
    level: "MUST",
    section: "4, Delegated Plugin protocol",
    name: "IPAM gets the complete configuration of the plugin",
    sentence: 'Delegated plugins are provided the *complete network configuration* passed to the "upper" plugin.',
    check: async (trial) => {
      const changes = await trial.withSpy();
      const config = { ...changes.config, "example.org/unknown": { kept: [1, 2] } };
      await trial.add({ config });
      const [first] = await trial.spy.calls();
      // A plugin that runs another one under its own name changes the type. It is the name of the executable.
      const without = { type: undefined, prevResult: undefined };
      demandEqual({ ...first?.config, ...without }, { ...trial.request(config), ...without }, "stdin");
    },
  },
  {
    ...toIpam,
    level: "SHOULD",
    name: "the stderr of IPAM goes to the stderr of the plugin",
    sentence: "Ensure that the delegated plugin's stderr is output to the calling plugin's stderr.",
    check: async (trial) => {
      const { stderr } = await trial.call("ADD", await trial.withSpy());
      demand(stderr.includes(spyWords), `stderr: ${stderr}`);
    },
  },
  {
    ...toIpam,
    level: "SHOULD",
    name: "IPAM is looked up in CNI_PATH: without it there, ADD fails",
    sentence: "Look up the plugin binary by searching the directories provided in `CNI_PATH` environment variable.",
    check: async (trial) => {
      const spied = await trial.withSpy();
      const env = { CNI_PATH: trial.path.replace(/^[^:]*/, "/run/lab/none") };
      demandError(await trial.call("ADD", { ...spied, env }), "ADD");
    },
  },
  {
    ...toIpam,
    since: "1.0.0",
    level: "MUST",
    section: "1, Plugin configuration objects",
    name: "an IPAM type with a slash is refused",
    sentence: "Must not contain characters disallowed in file paths for the system (e.g. / or \\\\).",
    check: async (trial) => {
      await trial.withSpy();
      const config = { ipam: { type: `calls/../${spyType}` } };
      demandError(await trial.call("ADD", { config }), "ADD");
      demandEqual(await trial.spy.verbs(), [], "the calls of IPAM");
    },
  },
  {
    ...toIpam,
    until: "0.4.0",
    level: "SHOULD",
    section: "IPAM Interface, Notes (0.4.0)",
    name: "ADD succeeds if the container has a default route already",
    sentence:
      "Since another network might have already configured the default route, the CNI plugin should be prepared to skip over its default route definition.",
    check: async (trial) => {
      const spied = await trial.withSpy({ routes: [{ dst: "0.0.0.0/0" }] });
      const { lab, container } = trial;
      await lab.ip(container, ..."link add eth9 type veth peer name peer9".split(" "));
      await lab.ip(container, "link", "set", "eth9", "up");
      await lab.ip(container, ..."route add default dev eth9".split(" "));
      await trial.add(spied);
    },
  },
  {
    ...toIpam,
    level: "SHOULD",
    section: "5, ADD Success",
    name: "the result has the addresses, routes and DNS of IPAM",
    sentence:
      'The IPAM plugin must determine the interface IP/subnet, Gateway and Routes and return this information to the "main" plugin to apply.',
    check: async (trial) => {
      const result = await trial.add(await trial.withSpy());
      const wanted = trial.spy.answer(trial.version);
      demandEqual(
        result.ips?.map(({ interface: _, ...each }) => each),
        wanted.ips,
        "ips",
      );
      const kept = (result.routes ?? []).filter(({ dst }) => dst === wanted.routes[0]?.dst);
      demandEqual(kept, wanted.routes, "routes");
      demandEqual(result.dns, wanted.dns, "dns");
    },
  },
  {
    ...toIpam,
    level: "SHOULD",
    name: "ADD fails if IPAM fails",
    sentence:
      'If, on `ADD`, a delegated plugin fails, the "upper" plugin should execute again with `DEL` before returning failure.',
    check: async (trial) => demandError(await failedAdd(trial), "ADD"),
  },
  {
    ...toIpam,
    level: "SHOULD",
    name: "if ADD of IPAM fails, its DEL is run",
    sentence:
      'If, on `ADD`, a delegated plugin fails, the "upper" plugin should execute again with `DEL` before returning failure.',
    check: async (trial) => {
      await failedAdd(trial);
      demandEqual((await trial.spy.verbs()).includes("DEL"), true, "IPAM was run with DEL");
    },
  },
];

async function failedAdd(trial: Trial) {
  const spied = await trial.withSpy();
  await trial.spy.fail("ADD");
  return trial.call("ADD", spied);
}
