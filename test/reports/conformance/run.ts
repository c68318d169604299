import { existsSync } from "node:fs";
import path from "node:path";
import { type Ended as EndedCase, runCases } from "../../../conformance/run.ts";
import { type SpecVersion, specVersions } from "../../../conformance/specification.ts";
import { newestPlugins } from "../../support/go.ts";
import { Lab, type LabOptions } from "../../support/lab.ts";
import { setups } from "./setups.ts";

/** The end of one case with one plugin in one version. */
export interface Ended extends Pick<EndedCase, "name" | "version" | "problem"> {
  readonly plugin: string;
  readonly executable: Executable;
}

/** The plain reference plugin, or a flavor of its wrapper. */
export const executables = ["plain", "node", "slim"] as const;
export type Executable = (typeof executables)[number];

const dist = path.resolve(import.meta.dirname, "../../../dist");
const wrappers = { node: path.join(dist, "bin"), slim: path.join(dist, "slim/bin") };

/** The executables that are built. */
export function builtExecutables(): Executable[] {
  return executables.filter((each) => each === "plain" || existsSync(wrappers[each]));
}

/** Runs the cases with a reference plugin, or with a flavor of its wrapper. */
export async function runPlugin(
  plugin: string,
  executable: Executable,
  versions: readonly SpecVersion[],
  plugins: LabOptions["plugins"] = newestPlugins,
): Promise<Ended[]> {
  const setup = setups[plugin];
  if (setup === undefined) throw new Error(`no configuration for ${plugin}`);
  const type = executable === "plain" ? plugin : `${plugin}-wrapper`;
  const target = { ...setup, type, file: `${Lab.pluginPath}/${type}` };
  const given = executable === "plain" ? {} : { wrappers: wrappers[executable] };
  await using lab = await Lab.start({ plugins, ...given });
  const ended = await runCases(lab, target, versionsSince(versions, setup.since));
  return ended.map(({ name, version, problem }) => ({ plugin, executable, name, version, problem }));
}

/** The versions that a plugin of the table has. */
export function versionsSince(versions: readonly SpecVersion[], since: SpecVersion = "0.3.0"): SpecVersion[] {
  return versions.filter((version) => specVersions.indexOf(version) >= specVersions.indexOf(since));
}
