import { delimiter } from "node:path";
import { type Advice, compareVersions, type PluginFolder } from "./plugin-folder.ts";
import { readPluginFolder } from "./read-plugin-folder.ts";

/** The oldest bridge with which Nomad runs CHECK, also for lists without a bridge. */
export const oldestBridge = "1.3.0";

/** Says why Nomad runs no CHECK with these plugins; undefined if it does (client/allocrunner/networking_cni.go). */
export function whyNoCheck(plugins: PluginFolder): Advice | undefined {
  const cure = `install bridge ${oldestBridge} or newer`;
  const version = plugins.versionForNomad("bridge");
  if (version !== undefined && compareVersions(version, oldestBridge) >= 0) return undefined;
  if (version !== undefined) return { reason: `bridge has version ${version}`, cure };
  const where = plugins.directories.map(({ path }) => path).join(", ") || "no directory";
  const none = { reason: `there is no bridge in ${where}`, cure };
  const silence = plugins.find("bridge")?.silence ?? none;
  return { ...silence, reason: `Nomad finds no version of bridge: ${silence.reason}` };
}

/** The same for the plugins in the directories of CNI_PATH. */
export function whyNoCheckIn(cniPath: readonly string[], directory: string): Advice | undefined {
  return whyNoCheck(readPluginFolder(cniPath.join(delimiter), directory));
}
