import { execa } from "execa";

/** The features that some cases need, in the words for skipped cases. */
export const needs = {
  bonding: "bonding in the kernel",
  bridgeVlanFiltering: "bridge VLAN filtering in the kernel",
  dummy: "dummy in the kernel",
  ipvlan: "ipvlan in the kernel",
  vlan: "vlan in the kernel",
  vrf: "vrf in the kernel",
} as const;

/** How ip(8) adds a link with each feature. */
const words: Readonly<Record<keyof typeof needs, string>> = {
  bonding: "type bond",
  bridgeVlanFiltering: "type bridge vlan_filtering 1",
  dummy: "type dummy",
  ipvlan: "link up0 type ipvlan",
  vlan: "link up0 type vlan id 5",
  vrf: "type vrf table 10",
};

/** The features that this kernel has. Cases that need others are skipped by name, and run in the second kernel. */
export const hostHas: Readonly<Record<keyof typeof needs, boolean>> = await triedOut();

/** Whether this kernel has what a case needs. */
export function isPossible({ needs }: { readonly needs?: keyof typeof hostHas | undefined } = {}): boolean {
  return needs === undefined || hostHas[needs];
}

/** Tries to add a link with each feature in a temporary network namespace. */
async function triedOut(): Promise<Record<keyof typeof needs, boolean>> {
  const names = Object.keys(needs) as (keyof typeof needs)[];
  const tries = names.map((name, index) => `ip link add name try${index} ${words[name]} && echo ${name}`);
  const script = ["ip link add up0 type veth peer name up1", ...tries].join("; ");
  const { stdout } = await execa("unshare", ["--net", "sh", "-c", script], { reject: false });
  const had = stdout.split("\n");
  return Object.fromEntries(names.map((name) => [name, had.includes(name)])) as Record<keyof typeof needs, boolean>;
}
