import { readFileSync } from "node:fs";
import path from "node:path";
import { Lab } from "../../support/lab.ts";
import type { Jq } from "../../support/later-jq.ts";
import { type Contestant as Compared, listOf } from "../compare/contestant.ts";
import { wrappersOf } from "../compare/contestants.ts";
import { multusOf } from "../compare/meta-plugins.ts";
import type { Stage } from "./peers.ts";
import { scriptDirectory, scriptName, scriptWith } from "./stage.ts";

/** A way to have several interface plugins in one list. */
export interface Contestant extends Pick<Compared, "pluginPath" | "programs" | "install" | "list"> {
  readonly name: string;
  /** The name of its containers and files. */
  readonly id: string;
}

/** All contestants that this machine can run. */
export function contestantsOf(stage: Stage, multusFile: string | undefined): Contestant[] {
  const wrappers = stage.peers.flatMap(({ name, file = "" }) => {
    const id = name.replaceAll(/\W+/g, "-");
    return file === "" ? [] : [{ name, id, ...wrappersOf(name, file, id) }];
  });
  const scripts = stage.peers.flatMap(({ jq }) => (jq ? [scripted(jq)] : []));
  const multus = multusFile === undefined ? [] : [{ name: "multus", id: "multus", ...multusOf(multusFile) }];
  return [...wrappers, ...scripts, ...multus];
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
    install: async (lab) => {
      for (const plugin of ["macvlan", "bridge"]) await lab.writeScript(`${directory}/${plugin}`, scriptOf(plugin));
      for (let index = 2; index < 8; index++) {
        const further = scriptOf("bridge").replaceAll("eth1", `eth${index}`);
        await lab.writeScript(`${directory}/bridge-eth${index}`, further);
      }
    },
    list: (creators) =>
      listOf(
        ...creators.map((creator, index) => ({
          ...creator,
          type: index > 1 ? `${creator.type}-eth${index}` : creator.type,
        })),
      ),
  };
}
