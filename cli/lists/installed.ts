import { compareVersions } from "../host/plugin-folder.ts";
import type { PluginFolder } from "../host/read-plugin-folder.ts";
import type { ListedPlugin } from "./list.ts";

/** Returns the installed version of the plugin that does a listed plugin's work, as far as `--cni-path` has it and it tells. */
export function installedVersion(
  { type, delegate, isWrapped }: ListedPlugin,
  plugins: PluginFolder | undefined,
): string | undefined {
  const wrapper = isWrapped ? plugins?.find(type) : undefined;
  return (wrapper ? plugins?.findDelegate(delegate, wrapper) : plugins?.find(delegate))?.version;
}

/** Whether a version is certainly older than a release. One that was built between two releases may have what the later one has. */
export function isOlder(version: string, release: string): boolean {
  return compareVersions(version, release) < 0 && !isBetweenReleases(version);
}

/** Whether a version may be newer than a release. */
export function isNewer(version: string, release: string): boolean {
  const order = compareVersions(version, release);
  return order > 0 || (order === 0 && isBetweenReleases(version));
}

/** As `git describe` writes it: v1.9.1-31-gabc123. */
function isBetweenReleases(version: string): boolean {
  return /-\d+-g/.test(version);
}
