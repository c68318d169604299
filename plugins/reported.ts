import type { profiles } from "./index.ts";

/** A host device that the configuration names under `key`. */
interface NamedDevice {
  readonly key: string;
  readonly fallback: string;
}

/** A host device that the configuration names, or for which the plugin invents a name with the prefix. */
export type HostDevice = NamedDevice | { readonly prefix: string };

/** What a plugin has on the host, as data for tables and for the stage of `try`. No call of a wrapper uses it. */
export interface Reported {
  /** The host-side interfaces that a creator lists before its container interface. */
  readonly hostSide?: readonly HostDevice[];
  /** The host interface that a creator uses and does not list. */
  readonly uses?: NamedDevice;
  /** The plugin publishes the ports of `runtimeConfig.portMappings`. */
  readonly publishes?: true;
}

/** The wrapped plugins that have something there, by type. */
export const reported: Readonly<Partial<Record<keyof typeof profiles, Reported>>> = {
  // cmdAdd in plugins/main/bridge/bridge.go and plugins/main/ptp/ptp.go.
  bridge: { hostSide: [{ key: "bridge", fallback: "cni0" }, { prefix: "veth" }] },
  ptp: { hostSide: [{ prefix: "veth" }] },
  macvlan: { uses: { key: "master", fallback: "default route" } },
  ipvlan: { uses: { key: "master", fallback: "default route" } },
  vlan: { uses: { key: "master", fallback: "a host interface" } },
  // The list may name it by its MAC or by its bus, too.
  "host-device": { uses: { key: "device", fallback: "a host interface" } },
  portmap: { publishes: true },
};
