/** A JSON object of a plugin configuration. */
export type Json = Record<string, unknown>;

/** The plugins whose wrapped calls are compared with their plain ones. */
export type PluginName = "bridge" | "macvlan";

/** The owner of an option: a plugin, or an IPAM plugin. */
export type Owner = PluginName | "host-local" | "static";

/** The difference between the result of ADD and the prevResult of CHECK and DEL. */
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

/** The differences that docs/behavior.md allows and that a case is known to show. */
export type Deviation = "floating MAC" | "own error" | "order" | "other table";

/** What a kernel may lack. */
export type KernelFeature = "bridgeVlanFiltering";

/** One value of one option, as data: the changes to the plugin's base configuration and call. */
export interface SurfaceCase {
  /** Its path in the plugin configuration, without lists: `ipam.ranges.subnet`. In CNI_ARGS: `CNI_ARGS.MAC`. */
  readonly option: string;
  /** A short name of the value. */
  readonly value: string;
  /** Merged into the plugin's base configuration. An undefined value removes a key. */
  readonly config?: Json;
  readonly args?: string;
  /** Shell commands that prepare the host. The container's namespace is `c1`. */
  readonly before?: string;
  readonly recall?: Recall;
  /** The plain plugin's error in the newest version. The case is about this error. */
  readonly fails?: string;
  /** Why the plain plugin acts the same with and without it. */
  readonly unseen?: string;
  readonly needs?: KernelFeature;
  readonly allowed?: Deviation;
}

/** Cases by their option and their value. */
export function casesOf(
  table: Readonly<Record<string, Readonly<Record<string, Omit<SurfaceCase, "option" | "value">>>>>,
): SurfaceCase[] {
  return Object.entries(table).flatMap(([option, values]) =>
    Object.entries(values).map(([value, more]) => ({ option, value, ...more })),
  );
}

/** A case with its owner and its plugin. */
export interface OwnedCase extends SurfaceCase {
  readonly owner: Owner;
  readonly plugin: PluginName;
}

/** An option without a case, and the reason. */
export interface LeftOut {
  readonly owner: Owner;
  readonly option: string;
  readonly why: string;
}
