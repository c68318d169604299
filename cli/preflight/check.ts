import { parseListFile } from "../lists/list-file.ts";
import type { CachedAttachment } from "../live/cached-results.ts";
import { isNamespace } from "../live/namespaces.ts";
import { type Network, type Networks, networkIn } from "../live/networks.ts";
import { runPlugin } from "../live/run-plugin.ts";
import { type Verdict, verdictOn } from "./forecast.ts";

/** How to check attachments on this host. */
export interface CheckOptions {
  readonly networks: Networks;
  readonly cniPath: readonly string[];
  /** How long a plugin may take. */
  readonly seconds: number;
}

// Nomad makes the list of `mode = "bridge"` itself (client/allocrunner/networking_bridge_linux.go).
const nomadsOwn = "nomad";

/**
 * Returns the network of an attachment; undefined if no list defines it. Nomad's own list is in no file: the one of ADD counts,
 * as Nomad makes it again from the same configuration.
 */
export function networkOf({ network, list }: CachedAttachment, { networks }: CheckOptions): Network | undefined {
  const own = network === nomadsOwn && list ? networkIn(parseListFile("", JSON.stringify(list))) : undefined;
  return networks.byName.get(network) ?? own;
}

/** Runs the CHECK of an attachment's current list with the real plugins. */
export function checkOnHost(attachment: CachedAttachment, options: CheckOptions): Promise<Verdict> {
  return verdictOn(attachment, {
    network: networkOf(attachment, options),
    isLive: isNamespace(attachment.netns),
    cniPath: options.cniPath,
    ask: (run) => runPlugin(run, options.seconds),
  });
}
