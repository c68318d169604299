import * as bridge from "./bridge.ts";
import type { Json, LeftOut, OwnedCase, Owner, PluginName, SurfaceCase } from "./case.ts";
import { hostLocal } from "./every-plugin.ts";
import * as hostLocalOptions from "./host-local.ts";
import * as macvlan from "./macvlan.ts";
import * as staticOptions from "./static.ts";

/** The owners of the compared options. */
export const owners = ["bridge", "macvlan", "host-local", "static"] as const satisfies Owner[];

/** The base configuration of each plugin. A case changes one thing of it. */
const baseConfigs: Readonly<Record<PluginName, Json>> = {
  bridge: { bridge: "disc0", isGateway: true, ipam: hostLocal("172.26.64.0/20") },
  macvlan: { master: "uplink0", ipam: hostLocal("172.16.5.0/24") },
};
const staticIpam = { ipam: { type: "static", addresses: [{ address: "172.16.5.2/24" }] } };

/** All cases. */
export const surfaceCases: readonly OwnedCase[] = [
  ...owned("bridge", "bridge", bridge.cases),
  ...owned("macvlan", "macvlan", macvlan.cases),
  ...owned("host-local", "bridge", hostLocalOptions.cases),
  ...owned("host-local", "macvlan", hostLocalOptions.macvlanCases),
  ...owned("static", "macvlan", staticOptions.cases),
];

/** All options without a case. */
export const leftOut: readonly LeftOut[] = [
  ...bridge.leftOut,
  ...macvlan.leftOut,
  ...hostLocalOptions.leftOut,
  ...staticOptions.leftOut,
];

/** The configuration of a case, without its type and the version. */
export function configOf({ owner, plugin, config }: OwnedCase): Json {
  const entries = Object.entries({
    name: "zone",
    ...baseConfigs[plugin],
    ...(owner === "static" && staticIpam),
    ...config,
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The errors of the tables, one sentence each: options without a case, and cases without their option. */
export function tableProblems(owner: Owner, options: readonly string[]): string[] {
  const cases = surfaceCases.filter((each) => each.owner === owner);
  const reasons = leftOut.filter((each) => each.owner === owner);
  const named = new Set([...cases, ...reasons].map(({ option }) => option));
  const both = reasons.filter(({ option }) => cases.some((each) => each.option === option));
  return [
    ...options.filter((option) => !named.has(option)).map((option) => `${owner}: no case for ${option}`),
    ...[...named].filter((option) => !options.includes(option)).map((option) => `${owner}: there is no ${option}`),
    ...both.map(({ option }) => `${owner}: ${option} is left out and has a case`),
    ...cases
      .filter((each) => !mentions(each))
      .map(({ option, value }) => `${owner}: ${option}, ${value}: does not change the option`),
    ...cases
      .filter(
        (each, index) => cases.findIndex(({ option, value }) => option === each.option && value === each.value) < index,
      )
      .map(({ option, value }) => `${owner}: two cases are called ${option}, ${value}`),
  ];
}

/** Whether a case changes its option: it sets it in the configuration or in CNI_ARGS, or removes it. */
function mentions({ option, config = {}, args = "", recall }: OwnedCase): boolean {
  if (option === "prevResult") return recall !== undefined;
  if (option.startsWith("CNI_ARGS.")) return new RegExp(`\\b${option.slice("CNI_ARGS.".length)}\\b`).test(args);
  const [top = ""] = option.split(".");
  return pathsOf(config).includes(option) || (top in config && config[top] === undefined);
}

function pathsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(pathsOf);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...pathsOf(inner).map((path) => `${key}.${path}`)]);
}

function owned(owner: Owner, plugin: PluginName, cases: readonly SurfaceCase[]): OwnedCase[] {
  return cases.map((each) => ({ ...each, owner, plugin }));
}
