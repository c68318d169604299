import type { Lab } from "../../support/lab.ts";
import type { NetworkList } from "../../support/runtime.ts";

/** A plugin's configuration. */
export type Plugin = Record<string, unknown>;

/** Two interface plugins, as an operator would write each one alone. The benchmark has more. */
export type Creators = readonly [Plugin, Plugin, ...Plugin[]];

/** One way to write a network configuration list, and its title in notes. */
export interface Way {
  readonly title: string;
  readonly list: NetworkList;
}

/** Something that may allow two interface plugins in one list. */
export interface Contestant {
  readonly title: string;
  /** CNI_PATH, and Nomad's cni_path. */
  readonly pluginPath: string;
  /** Programs that it needs in a lab. */
  readonly programs: Readonly<Record<string, string>>;
  install(lab: Lab): Promise<void>;
  /** The list for the creators, with more plugins at its end for the whole result. */
  list(creators: Creators, ...last: Plugin[]): NetworkList;
  /** Every way to apply a chained plugin to the second interface. */
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

/** The version of the compared lists. */
export const cniVersion = "1.0.0";
const name = "zone";

/** A list with these plugins. */
export function listOf(...plugins: Plugin[]): NetworkList {
  return { cniVersion, name, plugins };
}

/** The way without anything special: the chained plugin is the last one. */
export function atTheEnd(list: NetworkList): Way {
  return { title: "at the end of the list", list };
}
