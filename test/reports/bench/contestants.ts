import { readFileSync } from "node:fs";
import path from "node:path";
import { wrapped } from "../../e2e/support.ts";
import { installExecutable } from "../../nomad/scripts.ts";
import { Lab } from "../../support/lab.ts";
import type { Jq } from "../../support/later-jq.ts";
import type { NetworkList } from "../../support/runtime.ts";
import type { Stage } from "./peers.ts";
import { scriptDirectory, scriptName, scriptWith } from "./stage.ts";

export type Plugin = Readonly<Record<string, unknown>>;

/** A way to have several interface plugins in one list. */
export interface Contestant {
  readonly name: string;
  /** The name of its containers and files. */
  readonly id: string;
  readonly pluginPath: string;
  /** The programs of this machine that it needs in a lab. */
  readonly programs: Readonly<Record<string, string>>;
  /** Makes a list of these plugins possible in a lab. */
  install(lab: Lab, creators: readonly Plugin[]): Promise<void>;
  list(creators: readonly Plugin[]): NetworkList;
}

/** All contestants that this machine can run. */
export function contestantsOf(stage: Stage, multusFile: string | undefined): Contestant[] {
  const jqs = stage.peers.flatMap(({ jq }) => jq ?? []);
  const slims = stage.peers.filter(({ kind }) => kind === "slim");
  return [
    ...slims.flatMap(({ name, file }) => (file === undefined ? [] : [slimOf(name, file)])),
    node,
    ...jqs.map(scripted),
    ...(multusFile === undefined ? [] : [multusOf(multusFile)]),
  ];
}

function listOf(plugins: readonly Plugin[]): NetworkList {
  return { cniVersion: "1.0.0", name: "zone", plugins };
}

function wrappedList(creators: readonly Plugin[]): NetworkList {
  return listOf(creators.map((creator, index) => wrapped(creator, index === 0 ? undefined : `eth${index}`)));
}

const node: Contestant = {
  name: "Node flavor",
  id: "node",
  pluginPath: Lab.pluginPath,
  programs: {},
  install: async () => {},
  list: wrappedList,
};

/** A build of the slim flavor. */
function slimOf(name: string, file: string): Contestant {
  const id = name.replace(", ", "-");
  const directory = `/opt/cni/${id}`;
  return {
    name,
    id,
    pluginPath: `${directory}:${Lab.pluginPath}`,
    programs: { [id]: file },
    install: async (lab) => {
      await lab.run("mkdir", [directory]);
      for (const plugin of ["macvlan", "bridge"]) {
        await lab.run("ln", ["-s", `/run/lab/programs/${id}`, `${directory}/${plugin}-wrapper`]);
      }
    },
    list: wrappedList,
  };
}

/**
 * Scripts before the plugins, under the plugins' names. A script knows one interface name, so each further interface
 * needs its own script.
 */
function scripted(jq: Jq): Contestant {
  const id = `script-${jq.version}`;
  const directory = `${Lab.pluginPath}/${id}`;
  const scriptOf = (plugin: string) => scriptWith(jq, readFileSync(path.join(scriptDirectory, plugin), "utf8"));
  return {
    name: scriptName(jq),
    id,
    pluginPath: `${directory}:${Lab.pluginPath}`,
    programs: {},
    install: async (lab, creators) => {
      await lab.run("mkdir", [directory]);
      await installExecutable(lab, `${id}/macvlan`, scriptOf("macvlan"));
      await installExecutable(lab, `${id}/bridge`, scriptOf("bridge"));
      for (const name of creators.map((_, index) => `eth${index}`).slice(2)) {
        await installExecutable(lab, `${id}/bridge-${name}`, scriptOf("bridge").replaceAll("eth1", name));
      }
    },
    list: (creators) =>
      listOf(
        creators.map((creator, index) => ({
          ...creator,
          type: index > 1 ? `${creator.type}-eth${index}` : creator.type,
        })),
      ),
  };
}

/** multus without Kubernetes: one plugin, with a separate network configuration for each interface. */
function multusOf(file: string): Contestant {
  return {
    name: "multus",
    id: "multus",
    pluginPath: Lab.pluginPath,
    programs: { multus: file },
    install: async (lab) => {
      await lab.run("ln", ["-s", "/run/lab/programs/multus", `${Lab.pluginPath}/multus`]);
    },
    list: (creators) => {
      const network = (index: number) => (index === 0 ? "zone" : `zone-net${index}`);
      const delegates = creators.map((creator, index) => ({ ...creator, cniVersion: "1.0.0", name: network(index) }));
      return listOf([{ type: "multus", delegates }]);
    },
  };
}
