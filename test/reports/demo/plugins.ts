import { existsSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { pluginVersions, referencePlugins } from "../../support/go.ts";

const needed = ["bridge", "macvlan", "host-local"];
// From this version of bridge on, Nomad runs CHECK.
const oldest = [1, 3, 0];

/**
 * The host's own reference plugins from CNI_PATH or `/opt/cni/bin`. If they are missing or too old, Go builds others.
 */
export async function findPlugins() {
  for (const directory of [...(process.env.CNI_PATH ?? "").split(path.delimiter), "/opt/cni/bin"]) {
    const version = directory === "" ? undefined : await installedVersion(directory);
    if (version !== undefined) return { directory, version };
  }
  return { directory: await referencePlugins(pluginVersions[0]), version: pluginVersions[0] };
}

async function installedVersion(directory: string): Promise<string | undefined> {
  if (!needed.every((plugin) => existsSync(path.join(directory, plugin)))) return undefined;
  const { all } = await execa(path.join(directory, "bridge"), { env: {}, extendEnv: false, reject: false, all: true });
  const version = /plugin v?(\d+)\.(\d+)\.(\d+)/.exec(all);
  const parts = version?.slice(1).map(Number) ?? [];
  const difference = oldest.map((part, i) => (parts[i] ?? 0) - part).find((part) => part !== 0) ?? 0;
  return version && difference >= 0 ? parts.join(".") : undefined;
}
