import { existsSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { wrapped } from "../../e2e/support.ts";
import { installExecutable, installScripts, scriptPath } from "../../nomad/scripts.ts";
import { multus } from "../../support/go.ts";
import { Lab } from "../../support/lab.ts";
import type { NetworkList } from "../../support/runtime.ts";
import { pinnedVersion } from "../../support/versions.ts";

export type Plugin = Record<string, unknown>;

/** Two interface creators, as an operator would write each one alone. */
export type Creators = readonly [Plugin, Plugin];

/** One way to write a network configuration list, and its title in notes. */
export interface Way {
  readonly title: string;
  readonly list: NetworkList;
}

/** Something that may allow two interface creators in one list. */
export interface Contestant {
  readonly title: string;
  /** CNI_PATH, and Nomad's cni_path. */
  readonly pluginPath: string;
  /** Programs that it needs in a lab. */
  readonly programs: Readonly<Record<string, string>>;
  /** Installs it in a lab. */
  install(lab: Lab): Promise<void>;
  /** The list for two creators, with more plugins at its end for the whole result. */
  list(creators: Creators, ...last: Plugin[]): NetworkList;
  /** Every way to apply a meta plugin to the second interface. */
  onSecond(creators: Creators, meta: Plugin): readonly Way[];
  /** A list with a wanted name for the second interface, and the changes that it needs on the host. */
  naming(creators: Creators, name: string): Way & { readonly prepare?: (lab: Lab) => Promise<void> };
  /** The only type that can make the second interface; undefined if any type can. */
  readonly secondType?: string;
  /** The change that two creators of one type needed, if there was one. */
  readonly twoOfAType?: string;
  /** The same without its script, if the script makes a difference. */
  readonly alone?: Contestant;
  /** The files that it installs on a host. */
  readonly files: readonly string[];
  /** The programs that it needs besides. */
  readonly needs: readonly string[];
}

const cniVersion = "1.0.0";
const name = "zone";
const nothing = async () => {};

function listOf(...plugins: Plugin[]): NetworkList {
  return { cniVersion, name, plugins };
}

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
  await installExecutable(lab, "script/bridge", script.replaceAll("eth1", wanted));
}

const merging = path.join(import.meta.dirname, "../../nomad/merge-only");
const disableCheck: Contestant = {
  ...scripted("`disableCheck`", "merge-only", merging, { disableCheck: true }),
  alone: { ...plain, list: (creators, ...last) => ({ ...listOf(...creators, ...last), disableCheck: true }) },
};

const script = scripted("bash + jq script", "workaround", path.join(import.meta.dirname, "../../support/workaround"));

/** multus without Kubernetes: one plugin, with a separate network configuration for each interface. */
function multusOf(file: string): Contestant {
  const delegating = ([first, second]: Creators, ...last: Plugin[]) =>
    listOf(delegates({ ...first, ...ofNetwork("zone") }, { ...second, ...ofNetwork("zone-net1") }), ...last);
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

const linksDirectory = "/opt/cni/wrapped";

/** A flavor of the wrappers, in its own directory before the plugins. */
const wrappersOf = (title: string, file: string): Contestant => ({
  title,
  pluginPath: `${linksDirectory}:${Lab.pluginPath}`,
  programs: { "cni-wrappers": file },
  install: async (lab) => {
    await lab.run("mkdir", [linksDirectory]);
    for (const plugin of ["bridge", "macvlan", "portmap"]) {
      await lab.run("ln", ["-s", "/run/lab/programs/cni-wrappers", `${linksDirectory}/${plugin}-wrapper`]);
    }
  },
  list: ([first, second], ...last) => listOf(wrapped(first), wrapped(second, "eth1"), ...last),
  onSecond: ([first, second], meta) => {
    const ofSecond = { ...wrapped(meta), wrapper: { ifName: "eth1" } };
    return [
      atTheEnd(listOf(wrapped(first), wrapped(second, "eth1"), meta)),
      {
        title: `as \`${meta.type}-wrapper\``,
        list: listOf(wrapped(first), wrapped(second, "eth1"), ofSecond),
      },
    ];
  },
  naming: ([first, second], wanted) => ({
    title: "in the list",
    list: listOf(wrapped(first), wrapped(second, wanted)),
  }),
  files: [file],
  needs: [],
});

function atTheEnd(list: NetworkList): Way {
  return { title: "at the end of the list", list };
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
    wrappersOf("wrappers, Node", nodeFlavor),
    ...(isSlimAtHand ? [wrappersOf("wrappers, slim", slimFlavor)] : []),
  ];
}

/** The answer of an executable about itself: its version and its commit. */
async function aboutOf(file: string): Promise<string> {
  return (await execa(file, { env: {}, extendEnv: false, all: true })).all;
}
