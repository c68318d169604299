import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Lab, type LabOptions } from "../../support/lab.ts";
import { say } from "../../support/progress.ts";
import { answerOf } from "./answer.ts";
import { type ConformanceCase, isIn, type SpecVersion, specVersions } from "./case.ts";
import { concerns, conformanceCases } from "./cases.ts";
import { setups, type Target } from "./targets.ts";
import { Trial } from "./trial.ts";

/** The end of one case with one plugin in one version. */
export interface Ended {
  readonly plugin: string;
  readonly executable: Executable;
  readonly name: string;
  readonly version: SpecVersion;
  /** What the plugin does against the rule; empty if it follows it. */
  readonly problem: string;
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
  plugins: LabOptions["plugins"] = "1.9.1",
): Promise<Ended[]> {
  const setup = setups[plugin];
  if (setup === undefined) throw new Error(`no configuration for ${plugin}`);
  const type = executable === "plain" ? plugin : `${plugin}-wrapper`;
  const target = { ...setup, type, file: `${Lab.pluginPath}/${type}` };
  const given = executable === "plain" ? {} : { wrappers: wrappers[executable] };
  await using lab = await Lab.start({ plugins, ...given });
  const ended = await runCases(lab, target, versionsSince(versions, setup.since));
  return ended.map((each) => ({ plugin, executable, ...each }));
}

/** Runs the cases with any plugin of this machine. Its folder must have the plugins that it delegates to. */
export async function runFile(
  file: string,
  role: Target["role"],
  config: Readonly<Record<string, unknown>>,
  versions: readonly SpecVersion[] | undefined,
): Promise<Ended[]> {
  const type = path.basename(file);
  const { cniVersion: _, name: __, ...own } = config;
  const target = {
    ...{ type, role, withoutIpam: !("ipam" in config) },
    file: `${Lab.pluginPath}/${type}`,
    config: () => ({ ...own, type }),
  };
  const none = mkdtempSync(path.join(tmpdir(), "cni-wrappers-none-"));
  try {
    const plugins = { directory: path.dirname(path.resolve(file)) };
    await using lab = await Lab.start({ plugins, wrappers: none });
    const listed = versions ?? (await listedVersions(lab, target));
    await tryFirst(lab, target, listed.at(-1) ?? "1.1.0");
    const ended = await runCases(lab, target, listed);
    return ended.map((each) => ({ plugin: type, executable: "plain", ...each }));
  } finally {
    rmSync(none, { recursive: true });
  }
}

/** The first ADD and DEL make what stays for all containers, such as a bridge. It says if the configuration is wrong. */
async function tryFirst(lab: Lab, target: Target, version: SpecVersion): Promise<void> {
  const trial = await Trial.start(lab, target, version, 0);
  try {
    await trial.add();
  } catch (error) {
    say(
      `ADD with this configuration fails, so most cases will fail. ${error instanceof Error ? error.message : error}`,
    );
  } finally {
    await trial.end();
  }
}

/** Runs the cases of a plugin, one after another. */
export async function runCases(
  lab: Lab,
  target: Target,
  versions: readonly SpecVersion[],
  cases: readonly ConformanceCase[] = conformanceCases,
  numbers = { last: 0 },
): Promise<Pick<Ended, "name" | "version" | "problem">[]> {
  const ended = [];
  for (const each of cases.filter((other) => concerns(other, target))) {
    for (const version of sampleOf(versions.filter((version) => isIn(each, version)))) {
      numbers.last += 1;
      ended.push({ name: each.name, version, problem: await problemOf(lab, target, each, version, numbers.last) });
    }
  }
  return ended;
}

/** The versions of the specification that the plugin lists. All of them if it lists none: the cases then say why. */
async function listedVersions(lab: Lab, { file }: Target): Promise<readonly SpecVersion[]> {
  const input = JSON.stringify({ cniVersion: "1.0.0" });
  const { json } = answerOf(await lab.call(file, [], { env: { CNI_COMMAND: "VERSION" }, input }), "1.0.0");
  const listed = json?.supportedVersions;
  const known = Array.isArray(listed) ? specVersions.filter((version) => listed.includes(version)) : [];
  return known.length > 0 ? known : specVersions;
}

/** The versions that a plugin of the table has. */
export function versionsSince(versions: readonly SpecVersion[], since: SpecVersion = "0.3.0"): SpecVersion[] {
  return versions.filter((version) => specVersions.indexOf(version) >= specVersions.indexOf(since));
}

/** The first and the last version. The rules in between are the same. */
export function sampleOf(versions: readonly SpecVersion[]): SpecVersion[] {
  return versions.filter((_, index) => index === 0 || index === versions.length - 1);
}

async function problemOf(
  lab: Lab,
  target: Target,
  { check }: ConformanceCase,
  version: SpecVersion,
  number: number,
): Promise<string> {
  const trial = await Trial.start(lab, target, version, number);
  try {
    await check(trial);
    return "";
  } catch (error) {
    // A plugin that does not do what a check builds on breaks its commands as well.
    return error instanceof Error ? error.message || error.name : String(error);
  } finally {
    await trial.end();
  }
}
