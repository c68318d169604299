import type { CachedAttachment } from "../live/cached-results.ts";
import { isNamespace } from "../live/namespaces.ts";
import type { Network, Networks } from "../live/networks.ts";
import { runPlugin } from "../live/run-plugin.ts";
import { type Verdict, verdictOn } from "./forecast.ts";

/** How to check attachments on this host. */
export interface CheckOptions {
  readonly networks: Networks;
  readonly cniPath: readonly string[];
  /** How long a plugin may take. */
  readonly seconds: number;
}

/** Returns the network of an attachment; undefined if no list defines it. */
export function networkOf({ network }: CachedAttachment, { networks }: CheckOptions): Network | undefined {
  return networks.byName.get(network);
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
