/** Whether a plugin makes an interface of its own or acts on one that is there. */
export type Role = "creator" | "meta";

/**
 * A device on the host that a creator shares among its containers, as bridge does. Its configuration names it under `key`
 * (`fallback` where that is missing).
 */
export interface SharedDevice {
  readonly key: string;
  readonly fallback: string;
  /**
   * The plugin usually fixes the device's MAC if all of `all` and one of `any` are set and none of `none`; otherwise the MAC
   * follows the device's ports, changes with every container, and must not be compared on CHECK. This counts only where
   * the kernel cannot be asked.
   */
  readonly fixedMac: {
    readonly all: readonly string[];
    readonly any: readonly string[];
    readonly none: readonly string[];
  };
}

/** What differs from plugin to plugin, as data. */
export interface Profile {
  readonly role: Role;
  readonly sharedDevice?: SharedDevice;
  /** The plugin's CHECK runs an IPAM plugin even where none is configured, and fails ("no plugin name provided"). */
  readonly checkNeedsIpam?: true;
  /**
   * A creator that works upon a host interface, and for an address, which a plugin before it has made ready: as long as
   * prevResult has no container interface, its ADD is shown prevResult, and its answer takes the place of that.
   */
  readonly takesOverHostInterface?: true;
  /**
   * A meta plugin that moves its interface's routes out of the main table, where alone the creators' CHECK looks, and whose
   * own CHECK does not look for them.
   */
  readonly movesRoutes?: true;
  /** The plugin's DEL leaves its leases where CNI_NETNS is empty. */
  readonly delNeedsNamespace?: true;
}

/** The wrapped plugins by type. */
export type Profiles = Readonly<Record<string, Profile>>;
