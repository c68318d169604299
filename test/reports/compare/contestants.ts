import { existsSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { wrapped } from "../../e2e/support.ts";
import { installScripts, scriptPath } from "../../nomad/scripts.ts";
import { multus } from "../../support/go.ts";
import { Lab } from "../../support/lab.ts";
import type { NetworkList } from "../../support/runtime.ts";
import { atTheEnd, type Contestant, type Creators, listOf, type Plugin } from "./contestant.ts";
import { metaCniOf, multusOf } from "./meta-plugins.ts";

const nothing = async () => {};

const plain: Contestant = {
  title: "plain chain",
  pluginPath: Lab.pluginPath,
  programs: {},
  install: nothing,
  list: (creators, ...last) => listOf(...creators, ...last),
  onSecond: (creators, meta) => [atTheEnd(listOf(...creators, meta))],
  naming: (creators) => ({ title: "", list: listOf(...creators) }),
  files: [],
  needs: [],
};

/** Scripts before the plugins, under the plugins' names. Each script knows one interface name. */
function scripted(title: string, kind: "workaround" | "merge-only", directory: string, more: object = {}): Contestant {
  const list: Contestant["list"] = ([first, second], ...last) => ({
    ...listOf(first.type === second.type ? { ...first, type: unscripted } : first, second, ...last),
    ...more,
  });
  return {
    title,
    pluginPath: scriptPath,
    programs: {},
    install: async (lab) => {
      await installScripts(kind)(lab);
      await lab.run("ln", ["-s", "bridge", `${Lab.pluginPath}/${unscripted}`]);
    },
    list,
    onSecond: (creators, meta) => [atTheEnd(list(creators, meta))],
    naming: (creators, wanted) => ({
      title: "in the script",
      list: list(creators),
      prepare: (lab) => renameInScript(lab, wanted),
    }),
    secondType: "bridge",
    twoOfAType:
      "The first bridge has another type name here and runs without the script, which knows one interface name.",
    files: ["bridge", "macvlan"].map((file) => path.join(directory, file)).filter((file) => existsSync(file)),
    needs: ["bash", "jq"],
  };
}

/** A bridge without a script. A script's interface name can be used once in a list. */
const unscripted = "bridge-as-it-is";

async function renameInScript(lab: Lab, wanted: string): Promise<void> {
  const script = await lab.readFile(`${Lab.pluginPath}/script/bridge`);
  await lab.writeScript(`${Lab.pluginPath}/script/bridge`, script.replaceAll("eth1", wanted));
}

const merging = path.join(import.meta.dirname, "../../nomad/merge-only");
const disableCheck: Contestant = {
  ...scripted("`disableCheck`", "merge-only", merging, { disableCheck: true }),
  alone: { ...plain, list: (creators, ...last) => ({ ...listOf(...creators, ...last), disableCheck: true }) },
};

const script = scripted("bash + jq script", "workaround", path.join(import.meta.dirname, "../../support/workaround"));

/** A flavor of the wrappers, in its own directory before the plugins. The id is the directory's name. */
export const wrappersOf = (title: string, file: string, id = "wrapped"): Contestant => ({
  title,
  pluginPath: `/opt/cni/${id}:${Lab.pluginPath}`,
  programs: { [id]: file },
  install: async (lab) => {
    await lab.run("mkdir", [`/opt/cni/${id}`]);
    for (const plugin of ["bridge", "macvlan", "portmap"]) {
      await lab.run("ln", ["-s", `/run/lab/programs/${id}`, `/opt/cni/${id}/${plugin}-wrapper`]);
    }
  },
  list: wrappedList,
  onSecond: (creators, meta) => [
    atTheEnd(wrappedList(creators, meta)),
    { title: `as \`${meta.type}-wrapper\``, list: wrappedList(creators, wrapped(meta, "eth1")) },
  ],
  naming: ([first, second], wanted) => ({
    title: "in the list",
    list: listOf(wrapped(first), wrapped(second, wanted)),
  }),
  files: [file],
  needs: [],
});

function wrappedList(creators: Creators, ...last: Plugin[]): NetworkList {
  return listOf(...creators.map((creator, index) => wrapped(creator, index > 0 ? `eth${index}` : undefined)), ...last);
}

const dist = path.resolve(import.meta.dirname, "../../../dist");
const nodeFlavor = path.join(dist, "bin/cni-wrappers");
const slimFlavor = path.join(dist, "slim/bin/cni-wrappers");

/** The contestants in the order of the columns. The slim flavor takes part if it was built from the same sources. */
export async function contestants(): Promise<readonly Contestant[]> {
  if (!existsSync(nodeFlavor)) throw new Error("no wrappers in dist/bin: npm run build");
  const isSlimAtHand = existsSync(slimFlavor) && (await aboutOf(slimFlavor)) === (await aboutOf(nodeFlavor));
  return [
    plain,
    disableCheck,
    script,
    multusOf(await multus()),
    // No package registry has it. Without META_CNI_BIN, the table does not have this column.
    ...(process.env.META_CNI_BIN ? [metaCniOf(process.env.META_CNI_BIN)] : []),
    wrappersOf("wrappers, Node", nodeFlavor),
    ...(isSlimAtHand ? [wrappersOf("wrappers, slim", slimFlavor)] : []),
  ];
}

/** The answer of an executable about itself: its version and its commit. */
async function aboutOf(file: string): Promise<string> {
  return (await execa(file, { env: {}, extendEnv: false, all: true })).all;
}
