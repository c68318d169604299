import { delimiter } from "node:path";
import { compareVersions, type PluginFolder } from "./plugin-folder.ts";
import { readPluginFolder } from "./read-plugin-folder.ts";

/** The oldest bridge with which Nomad runs CHECK, also for lists without a bridge. */
export const oldestBridge = "1.3.0";

/** Says why Nomad runs no CHECK with these plugins; undefined if it does (client/allocrunner/networking_cni.go). */
export function whyNoCheck(plugins: PluginFolder): string | undefined {
  const version = plugins.versionForNomad("bridge");
  if (version === undefined) return "Nomad finds no version of bridge";
  return compareVersions(version, oldestBridge) >= 0 ? undefined : `bridge has version ${version}`;
}

/** The same for the plugins in the directories of CNI_PATH. */
export function whyNoCheckIn(cniPath: readonly string[], directory: string): string | undefined {
  return whyNoCheck(readPluginFolder(cniPath.join(delimiter), directory));
}
