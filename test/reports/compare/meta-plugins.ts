import { Lab } from "../../support/lab.ts";
import { pinnedVersion } from "../../support/versions.ts";
import { atTheEnd, type Contestant, type Creators, cniVersion, listOf, type Plugin } from "./contestant.ts";

/** multus without Kubernetes: one plugin, with a separate network configuration for each interface. */
export function multusOf(file: string): Contestant {
  const delegating = (creators: Creators, ...last: Plugin[]) =>
    listOf(
      delegates(
        ...creators.map((creator, index) => ({ ...creator, ...ofNetwork(index ? `zone-net${index}` : "zone") })),
      ),
      ...last,
    );
  return {
    title: `multus ${pinnedVersion("reports/compare/multus", "gopkg.in/k8snetworkplumbingwg/multus-cni.v4")}`,
    pluginPath: Lab.pluginPath,
    programs: { multus: file },
    install: async (lab) => {
      await lab.run("ln", ["-s", "/run/lab/programs/multus", `${Lab.pluginPath}/multus`]);
    },
    list: delegating,
    onSecond: ([first, second], meta) => [
      atTheEnd(delegating([first, second], meta)),
      {
        title: "in a separate list inside the second delegate",
        list: listOf(
          delegates({ ...first, ...ofNetwork("zone") }, { ...ofNetwork("zone-net1"), plugins: [second, meta] }),
        ),
      },
    ],
    // The key in multus's own copy of the delegates. The documentation does not name it.
    naming: ([first, second], wanted) => ({
      title: "in the list",
      list: delegating([first, { ...second, ifnameRequest: wanted }]),
    }),
    files: [file],
    needs: [],
  };
}

function ofNetwork(network: string): Plugin {
  return { cniVersion, name: network };
}

function delegates(...each: Plugin[]): Plugin {
  return { type: "multus", capabilities: { portMappings: true }, delegates: each };
}

/** CraneSched's meta-cni: one plugin, with a pipeline of delegates for each interface. */
export const metaCniOf = (file: string): Contestant => {
  const piped = ([first, second]: Creators, ifName: string, ofSecond: readonly Plugin[], ...last: Plugin[]) =>
    listOf(pipelines([pipeline("eth0", "zone", first), pipeline(ifName, "zone-second", second, ...ofSecond)]), ...last);
  return {
    title: "meta-cni",
    pluginPath: Lab.pluginPath,
    programs: { "meta-cni": file },
    install: async (lab) => {
      await lab.run("ln", ["-s", "/run/lab/programs/meta-cni", `${Lab.pluginPath}/meta-cni`]);
    },
    list: (creators, ...last) => piped(creators, "eth1", [], ...last),
    onSecond: (creators, meta) => [
      atTheEnd(piped(creators, "eth1", [], meta)),
      { title: "in the second pipeline", list: piped(creators, "eth1", [meta]) },
    ],
    naming: (creators, wanted) => ({ title: "in the list", list: piped(creators, wanted, []) }),
    files: [file],
    needs: [],
  };
};

function pipelines(each: readonly Plugin[]): Plugin {
  return { type: "meta-cni", capabilities: { portMappings: true }, pipelines: each };
}

function pipeline(ifName: string, network: string, ...delegates: readonly Plugin[]): Plugin {
  return { name: ifName, ifName, delegates: delegates.map((conf) => ({ conf: { ...conf, ...ofNetwork(network) } })) };
}
