import { execa } from "execa";

/** The features that some cases need, in the words for skipped cases. */
export const needs = {
  bridgeVlanFiltering: "bridge VLAN filtering in the kernel",
  dummy: "dummy in the kernel",
  ipvlan: "ipvlan in the kernel",
  vlan: "vlan in the kernel",
  vrf: "vrf in the kernel",
} as const;

/** The features that this kernel has. Cases that need others are skipped by name, and run in the second kernel. */
export const hostHas: Readonly<Record<keyof typeof needs, boolean>> = {
  bridgeVlanFiltering: await canAdd("type", "bridge", "vlan_filtering", "1"),
  dummy: await canAdd("type", "dummy"),
  ipvlan: await canAdd("link", "up0", "type", "ipvlan"),
  vlan: await canAdd("link", "up0", "type", "vlan", "id", "5"),
  vrf: await canAdd("type", "vrf", "table", "10"),
};

/** Tries to add a link with these words in a temporary network namespace. */
async function canAdd(...words: string[]): Promise<boolean> {
  const script = 'ip link add up0 type veth peer name up1 && ip link add name try0 "$@"';
  const { exitCode } = await execa("unshare", ["--net", "sh", "-c", script, "sh", ...words], { reject: false });
  return exitCode === 0;
}
