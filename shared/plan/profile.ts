/** Whether a plugin makes an interface (`creator`) or acts on an existing one (`meta`). */
export type Role = "creator" | "meta";

/**
 * A host device that a creator shares among its containers, such as bridge's. The configuration names it under `key`;
 * `fallback` is the default name.
 */
export interface SharedDevice {
  readonly key: string;
  readonly fallback: string;
  /**
   * The plugin usually fixes the device's MAC if all of `all`, one of `any` and none of `none` are set. Otherwise the MAC
   * follows the device's ports and changes with every container, and CHECK must not compare it. This counts only if the
   * kernel cannot be asked.
   */
  readonly fixedMac: {
    readonly all: readonly string[];
    readonly any: readonly string[];
    readonly none: readonly string[];
  };
}

/** The differences between plugins, as data. */
export interface Profile {
  readonly role: Role;
  readonly sharedDevice?: SharedDevice;
  /** The plugin's CHECK runs an IPAM plugin even if none is configured, and fails ("no plugin name provided"). */
  readonly checkNeedsIpam?: true;
  /**
   * A creator that uses a host interface and an address that an earlier plugin prepared. As long as prevResult has no
   * container interface, its ADD gets prevResult, and its answer replaces prevResult.
   */
  readonly takesOverHostInterface?: true;
  /**
   * A meta plugin that moves its interface's routes out of the main table. The creators' CHECK looks only there, and the
   * plugin's own CHECK does not look for them.
   */
  readonly movesRoutes?: true;
  /** A meta plugin whose DEL removes all rules that name an address of prevResult, whoever has that address. */
  readonly delByAddress?: true;
  /** If CNI_NETNS is empty, the plugin's DEL does not free its leases. */
  readonly delNeedsNamespace?: true;
}

/** The wrapped plugins, by type. */
export type Profiles = Readonly<Record<string, Profile>>;
