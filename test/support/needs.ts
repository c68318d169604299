import process from "node:process";
import { execa } from "execa";

/** What some cases need, in the words by which they are skipped. */
export const needs = {
  bridgeVlanFiltering: "bridge VLAN filtering in the kernel",
  jq: "jq in the wrapper, which the slim flavor has not",
  dummy: "dummy in the kernel",
  ipvlan: "ipvlan in the kernel",
  vlan: "vlan in the kernel",
  vrf: "vrf in the kernel",
} as const;

/** Whether this kernel, and this flavor of the wrappers, can do what some cases need. They are skipped by name where it cannot. */
export const hostHas: Readonly<Record<keyof typeof needs, boolean>> = {
  bridgeVlanFiltering: await canAdd("type", "bridge", "vlan_filtering", "1"),
  jq: process.env.CNI_WRAPPERS_FLAVOR !== "slim",
  dummy: await canAdd("type", "dummy"),
  ipvlan: await canAdd("link", "up0", "type", "ipvlan"),
  vlan: await canAdd("link", "up0", "type", "vlan", "id", "5"),
  vrf: await canAdd("type", "vrf", "table", "10"),
};

/** Tries to add a link with these words, in a network namespace that lasts as long as the try. */
async function canAdd(...words: string[]): Promise<boolean> {
  const script = 'ip link add up0 type veth peer name up1 && ip link add name try0 "$@"';
  const { exitCode } = await execa("unshare", ["--net", "sh", "-c", script, "sh", ...words], { reject: false });
  return exitCode === 0;
}
