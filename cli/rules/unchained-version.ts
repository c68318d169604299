import type { ListRule } from "../lint/rule.ts";
import { cidrOf } from "../lists/addresses.ts";
import { entriesOf, hasIpam, ipamTypeOf, rangeSetsOf } from "../lists/ipam.ts";
import {
  creatorsOf,
  isRewritten,
  isUnchained,
  type List,
  type ListedPlugin,
  unchainedPlugin,
  versionWords,
} from "../lists/list.ts";

export const unchainedVersion: ListRule = {
  title: "The list needs more than cniVersion 0.2.0 has.",
  page: `A result of 0.1.0 or 0.2.0 has one address of each IP version, and lists no interfaces. So a wrapper cannot tell several
interfaces apart: ADD fails with code 1 (\`incompatible CNI versions\`). An interface without an address has no result at all
(\`no valid IP addresses\`), and the IPAM plugins refuse to give two (\`does not support more than 1 address per family\`). Without
\`cniVersion\`, a list has version 0.1.0. Use 1.0.0.`,
  findInList(list) {
    const lack = isUnchained(list) ? lackOf(list) : undefined;
    if (lack === undefined) return [];
    const message = `${versionWords(list)} cannot have ${lack}`;
    return [{ at: ["cniVersion"], message, hint: 'Set "cniVersion": "1.0.0"' }];
  },
};

/** What the first plugin that the version is too old for asks for. */
function lackOf(list: List): string | undefined {
  const second = unchainedPlugin(list);
  if (second) return `a second interface, and ${second.type} asks for ${second.ifName}`;
  const known = creatorsOf(list).filter((plugin) => plugin.profile && !isRewritten(plugin));
  const bare = known.find((plugin) => !hasIpam(plugin) && !needsAddress.test(plugin.delegate));
  if (bare) return `an interface without an address, and ${bare.type} has no ipam`;
  const double = known.find(hasTwoOfOneFamily);
  return double && `two addresses of one IP version, and ${double.type} asks for them`;
}

// In no version do they make an interface without an address. ipvlan can have that of a plugin before it.
const needsAddress = /^(?:ptp|ipvlan|dummy)$/;

function hasTwoOfOneFamily(plugin: ListedPlugin): boolean {
  const fixed = ipamTypeOf(plugin.configuration) === "static" ? entriesOf(plugin, "addresses") : [];
  const texts = [
    ...rangeSetsOf(plugin).map(([first]) => first?.range.subnet),
    ...fixed.map(({ entry }) => entry.address),
  ];
  const families = texts.flatMap((text) => cidrOf(text)?.bits ?? []);
  return new Set(families).size < families.length;
}
