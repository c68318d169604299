import { interfaceNameProblem } from "../../shared/protocol/names.ts";
import { freeName } from "../lists/chain.ts";
import { runtimeIfName } from "../lists/list.ts";
import { Trouble } from "../trouble.ts";

/** One interface that a list gets next to its preset's: `--add TYPE[:NAME][:KEY=VALUE,...]`. */
export interface Addition {
  readonly type: string;
  readonly ifName: string | undefined;
  readonly keys: Readonly<Record<string, string>>;
}

/** A plugin configuration of the new list. */
export type Plugin = Readonly<Record<string, unknown>>;

interface Creator {
  /** The keys that `--add` takes for it, next to `subnet`. */
  readonly keys: readonly string[];
  configuration(keys: Readonly<Record<string, string>>): Plugin;
}

const onMaster: Creator = { keys: ["master"], configuration: ({ master }) => ({ master }) };
const alone: Creator = { keys: [], configuration: () => ({}) };

/** The interface plugins that `--add` knows. */
export const creators: Readonly<Record<string, Creator>> = {
  bridge: { keys: ["bridge"], configuration: ({ bridge }) => ({ bridge, isGateway: true }) },
  dummy: alone,
  "host-device": { keys: ["device"], configuration: ({ device }) => ({ device }) },
  ipvlan: onMaster,
  macvlan: onMaster,
  ptp: alone,
  tap: alone,
  vlan: { keys: ["master", "vlanId"], configuration: ({ master, vlanId }) => ({ master, vlanId: Number(vlanId) }) },
};

/** Parses the value of `--add`. Throws Trouble that names the possible values. */
export function parseAddition(text: string): Addition {
  const [type = "", ...rest] = text.split(":");
  const creator = Object.hasOwn(creators, type) ? creators[type] : undefined;
  if (!creator) throw new Trouble(`--add ${text}: the type must be one of ${Object.keys(creators).join(", ")}`);
  const ifName = rest[0] !== undefined && !rest[0].includes("=") ? rest.shift() : undefined;
  const pairs = rest
    .join(":")
    .split(",")
    .filter((pair) => pair !== "");
  const keys = Object.fromEntries(pairs.map((pair) => [pair.split("=")[0], pair.split("=").slice(1).join("=")]));
  const unknown = Object.keys(keys).find((key) => ![...creator.keys, "subnet"].includes(key));
  if (unknown !== undefined) {
    throw new Trouble(`--add ${text}: ${unknown} is not one of ${[...creator.keys, "subnet"].join(", ")}`);
  }
  return { type, ifName, keys };
}

/** Chooses the name of an added interface. Throws Trouble if the wanted one is not possible. */
export function additionName({ type, ifName }: Addition, taken: readonly string[]): string {
  const name = ifName ?? freeName(taken);
  const problem =
    interfaceNameProblem(name) ??
    (taken.includes(name) ? "is taken" : undefined) ??
    (name < runtimeIfName ? `sorts before ${runtimeIfName}, so Nomad would advertise its address` : undefined);
  if (problem !== undefined) throw new Trouble(`--add ${type}: the interface name ${name} ${problem}`);
  return name;
}
