/** A JSON object of a plugin configuration. */
export type Json = Record<string, unknown>;

/** The plugins whose wrapped calls are compared with their plain ones. */
export type PluginName = "bridge" | "macvlan";

/** Whose option it is: a plugin's own, or that of an IPAM plugin behind it. */
export type Owner = PluginName | "host-local" | "static";

/** How the prevResult that CHECK and DEL get differs from what ADD printed. */
export type Recall =
  | "none"
  | "another MAC"
  | "another MAC of the bridge"
  | "another address"
  | "another name"
  | "another sandbox"
  | "an index that is too high"
  | "no interfaces"
  | "ips without interface";

/** The differences that docs/behavior.md allows, where a case is known to show one. */
export type Deviation = "floating MAC" | "no ipam" | "own error" | "order";

/** What a kernel may lack. */
export type KernelFeature = "bridgeVlanFiltering";

/** One value of one option, as data: what a plugin is called with, beside what every case of it is called with. */
export interface SurfaceCase {
  /** Its path in the plugin configuration, lists left out: `ipam.ranges.subnet`; or in CNI_ARGS: `CNI_ARGS.MAC`. */
  readonly option: string;
  /** The value in a word. */
  readonly value: string;
  /** Laid over the plugin's base configuration; an undefined value takes a key out. */
  readonly config?: Json;
  /** CNI_ARGS. */
  readonly args?: string;
  /** Shell commands that make the host what the case is about. The container's namespace is `c1`. */
  readonly before?: string;
  readonly recall?: Recall;
  /** What the plain plugin says, in the newest version: the case is about an error. */
  readonly fails?: string;
  /** Why the plain plugin does the same with and without it. */
  readonly unseen?: string;
  readonly needs?: KernelFeature;
  readonly allowed?: Deviation;
}

/** A case with whose it is and the plugin it is run with. */
export interface OwnedCase extends SurfaceCase {
  readonly owner: Owner;
  readonly plugin: PluginName;
}

/** An option that has no case, and why. */
export interface LeftOut {
  readonly owner: Owner;
  readonly option: string;
  readonly why: string;
}
