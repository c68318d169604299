import { readdirSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Container, Lab, type Outcome } from "../../support/lab.ts";
import { rulesOfContainers } from "../../support/leftovers.ts";
import type { NetworkList } from "../../support/runtime.ts";
import type { Plugin, PluginCase, Which } from "./case.ts";
import bridge from "./cases/bridge.ts";
import macvlan from "./cases/macvlan.ts";

/** A plugin's place in its chain: for the only interface, for the second one, or for each of two. */
export const positions = ["first", "chained", "twice"] as const;
export type Position = (typeof positions)[number];

/** The steps of a trial, in this order. */
export const steps = ["ADD", "CHECK", "fault seen", "DEL clean"] as const;
export type Step = (typeof steps)[number];

/** A chain with the plugin under test. */
export interface Trial {
  readonly list: NetworkList;
  /** The plugin's interfaces, and which of its two configurations each one has. */
  readonly own: readonly { readonly ifName: string; readonly which: Which }[];
}

const directory = path.join(import.meta.dirname, "cases");

/** The cases by the plugin's name: the files of `cases/`. */
export async function loadCases(): Promise<Record<string, PluginCase>> {
  const names = readdirSync(directory).map((file) => path.basename(file, ".ts"));
  const entries = names.map(async (name) => [name, (await import(path.join(directory, `${name}.ts`))).default]);
  return Object.fromEntries(await Promise.all(entries));
}

function trialOf(given: PluginCase, position: Position): Trial {
  const first = { ifName: "eth0", which: 0 } as const;
  const second = { ifName: "eth1", which: 1 } as const;
  const own = { first: [first], chained: [second], twice: [first, second] }[position];
  const plugins = own.map(({ ifName, which }) => wrapped(given.plugin(which, ifName), ifName));
  return { list: { cniVersion: "1.0.0", name: "zone", plugins: [...companions(given, position), ...plugins] }, own };
}

function companions(given: PluginCase, position: Position): Plugin[] {
  if (given.role === "creator")
    return position === "chained" ? [wrapped(companionOf(given).plugin(0, "eth0"), "eth0")] : [];
  const eth0 = position === "chained" ? macvlan : bridge;
  const creators = [wrapped(eth0.plugin(0), "eth0")];
  return position === "first" ? creators : [...creators, wrapped(bridge.plugin(1), "eth1")];
}

/** No master can have both macvlan and ipvlan interfaces. */
function companionOf(given: PluginCase): PluginCase {
  return ["macvlan", "ipvlan"].includes(String(given.plugin(0, "eth0").type)) ? bridge : macvlan;
}

function wrapped(plugin: Plugin, ifName: string): Plugin {
  const { wrapper, type, ...rest } = plugin;
  const named = ifName === "eth0" ? {} : { ifName };
  return { type: `${type}-wrapper`, wrapper: { ...named, ...(wrapper as object) }, ...rest };
}

/**
 * Tries a plugin in a position with the real plugins. Returns the error of each step, or "". Steps that did not run are
 * missing.
 */
export async function tryOut(given: PluginCase, position: Position): Promise<Partial<Record<Step, string>>> {
  const trial = trialOf(given, position);
  await using lab = await Lab.start();
  await given.prepare?.(lab);
  const container = await lab.addContainer("c1");
  const before = await state(lab, container);
  const verb = (name: "add" | "check" | "del") => lab.goCni[name](trial.list, container, given.options);
  const broken = trial.own.at(-1) ?? { ifName: "", which: 0 };
  const found: Partial<Record<Step, string>> = {};

  found.ADD = failure(await verb("add")) || (await effectProblem(lab, container, given, trial));
  if (found.ADD) return found;
  found.CHECK = failure(await verb("check"));
  await given.fault.make({ lab, container, ifName: broken.ifName }, broken.which);
  found["fault seen"] = oversight(await verb("check"), given.fault.message(broken.ifName));
  found["DEL clean"] = failure(await verb("del")) || difference(before, await state(lab, container));
  return found;
}

async function effectProblem(lab: Lab, container: Container, { effect }: PluginCase, { own }: Trial): Promise<string> {
  const seen = await Promise.all(own.map(({ ifName }) => effect.read({ lab, container, ifName })));
  return difference(
    own.map(({ ifName, which }) => effect.expected(which, ifName)),
    seen,
  );
}

function failure({ exitCode, stderr }: Outcome): string {
  return exitCode === 0 ? "" : stderr || `exit code ${exitCode}`;
}

function oversight({ exitCode, stderr }: Outcome, message: RegExp): string {
  if (exitCode === 0) return "CHECK passes";
  return message.test(stderr) ? "" : `CHECK says: ${stderr}`;
}

function difference(expected: unknown, found: unknown): string {
  return isDeepStrictEqual(found, expected) ? "" : `${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`;
}

/**
 * The state that one attachment leaves on a host. Bridges belong to all containers. So do the chains to which firewall
 * and portmap add a container's chains.
 */
async function state(lab: Lab, container: Container) {
  const links = (await lab.kernel.linkNames()).filter((name) => !/^br[01]$/.test(name));
  // The kernel makes this rule with a namespace's first VRF, and keeps it.
  const policy = (await lab.ip(container, "rule")).replace(/^\d+:\tfrom all lookup \[l3mdev-table\]\s*\n/m, "");
  return {
    links: links.sort(),
    rules: await rulesOfContainers(lab),
    inside: await lab.kernel.linkNames(container),
    policy,
    leases: await lab.kernel.leases(),
    results: await lab.kernel.cachedResults(),
    records: await lab.kernel.journals(),
    tuning: await lab.readdir("/run/cni/tuning"),
  };
}
