/** A host device: the configuration names it under `key`, or the plugin invents a name with the prefix. */
export type HostDevice = { readonly key: string; readonly fallback: string } | { readonly prefix: string };

/** The devices of a plugin and its answer to ADD, as data for examples and drawings. No call of a wrapper uses it. */
export interface Reported {
  /** The host-side interfaces that a creator lists before its container interface. */
  readonly hostSide?: readonly HostDevice[];
  /** The host interface that a creator uses and does not list. */
  readonly uses?: HostDevice;
  /** The host-side interface that a chained plugin lists if `key` is set. */
  readonly adds?: { readonly device: HostDevice; readonly key: string };
  /** The key with which a chained plugin sets the MAC of the container interface. */
  readonly setsMac?: string;
  /** The key with which a creator adds a default route through its gateway. */
  readonly defaultRoute?: string;
  /** The plugin publishes the ports of `runtimeConfig.portMappings`. */
  readonly publishes?: true;
}
