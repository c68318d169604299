import { goLookup } from "../../shared/protocol/json.ts";
import { interfaceNameProblem } from "../../shared/protocol/names.ts";
import { creatorsOf, freeName } from "../lists/chain.ts";
import { type List, type ListedPlugin, runtimeIfName } from "../lists/list.ts";
import { Trouble } from "../trouble.ts";

/**
 * Chooses the interface names of a list's creators. The first one without a name keeps the runtime's, and gets undefined. So does
 * each one that has a name. The others get their wished name, or eth1, eth2 and so on: Nomad advertises none of these before eth0.
 */
export function chooseNames(
  creators: readonly ListedPlugin[],
  plugins: readonly ListedPlugin[],
  wished: readonly (string | undefined)[] = [],
): readonly (string | undefined)[] {
  const taken = new Set([...creators.flatMap(givenName), ...plugins.flatMap(otherNames)]);
  const chosen: (string | undefined)[] = [];
  for (const [position, creator] of creators.entries()) {
    const isNamed = givenName(creator).length > 0;
    const isRuntimes = !isNamed && !taken.has(runtimeIfName);
    if (isRuntimes) taken.add(runtimeIfName);
    const wish = wished[position];
    const free = wish === undefined || taken.has(wish) ? freeName(taken) : wish;
    const name = isNamed || isRuntimes ? undefined : free;
    if (name !== undefined) taken.add(name);
    chosen.push(name);
  }
  return chosen;
}

/** Returns the operator's names by the positions of the creators that need one. Throws Trouble if one is not possible. */
export function wishedNames(list: Pick<List, "plugins">, names: readonly string[]): readonly (string | undefined)[] {
  const needed = chooseNames(creatorsOf(list), list.plugins);
  const count = needed.filter((name) => name !== undefined).length;
  const needing = count === 1 ? "1 plugin needs" : `${count} plugins need`;
  if (names.length > count) throw new Trouble(`--names: only ${needing} a name`);
  for (const [index, name] of names.entries()) checkWishedName(name, list.plugins, names.slice(0, index));
  const rest = [...names];
  return needed.map((name) => (name === undefined ? undefined : rest.shift()));
}

/** Throws Trouble if an operator's name for an interface is not possible. */
export function checkWishedName(name: string, plugins: readonly ListedPlugin[], others: readonly string[]): void {
  const problem = interfaceNameProblem(name);
  if (problem !== undefined) throw new Trouble(`the interface name ${JSON.stringify(name)} ${problem}`);
  const taken = [...plugins.flatMap(givenName), ...plugins.flatMap(otherNames), ...others, runtimeIfName, "lo"];
  if (taken.includes(name)) throw new Trouble(`the interface name ${name} is taken`);
  if (name < runtimeIfName) {
    throw new Trouble(`the interface name ${name} sorts before ${runtimeIfName}, so Nomad would advertise its address`);
  }
}

/** The name in a plugin's block, if it has one. */
function givenName({ wrapper, role }: ListedPlugin): readonly string[] {
  return role === "creator" && typeof wrapper.ifName === "string" ? [wrapper.ifName] : [];
}

/** Names that no interface can have: a plugin's bridge, and the device of a VRF. */
function otherNames({ configuration }: ListedPlugin): readonly string[] {
  return ["bridge", "vrfname"].flatMap((key) => {
    const name = goLookup(configuration, key);
    return typeof name === "string" ? [name] : [];
  });
}
