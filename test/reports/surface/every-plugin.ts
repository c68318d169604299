import type { Json, LeftOut, Owner, SurfaceCase } from "./case.ts";

/** host-local with one range a subnet, IPv4 and IPv6. */
export const dualStack = hostLocal("172.26.64.0/20", "fd00:26::/64");

/** The cases of the options that all plugins share, and of the runtime's variables and keys. */
export const everyPlugin: readonly SurfaceCase[] = [
  { option: "name", value: "another network", config: { name: "backbone" } },
  { option: "ipam.type", value: "missing", config: { ipam: { type: "missing-ipam" } }, fails: "failed to find plugin" },
  { option: "ipam.type", value: "a number", config: { ipam: { type: 5 } }, fails: "cannot unmarshal number" },
  { option: "runtimeConfig.mac", value: "a MAC", config: { runtimeConfig: { mac: "02:00:00:00:00:77" } } },
  {
    option: "runtimeConfig.mac",
    value: "over that of CNI_ARGS",
    config: { runtimeConfig: { mac: "02:00:00:00:00:77" } },
    args: "IgnoreUnknown=1;MAC=02:00:00:00:00:76",
  },
  { option: "CNI_ARGS.MAC", value: "a MAC", args: "IgnoreUnknown=1;MAC=02:00:00:00:00:77" },
  {
    option: "CNI_ARGS.MAC",
    value: "no MAC",
    args: "IgnoreUnknown=1;MAC=nonsense",
    fails: "address nonsense: invalid MAC address",
  },
  {
    option: "CNI_ARGS.MAC",
    value: "without IgnoreUnknown, which ipam needs",
    args: "MAC=02:00:00:00:00:77",
    fails: "unknown args",
  },
  {
    option: "CNI_ARGS.IgnoreUnknown",
    value: "true",
    args: "IgnoreUnknown=true;K8S_POD_NAME=web-0",
    unseen: "the argument that is not known means nothing",
  },
  {
    option: "CNI_ARGS.IgnoreUnknown",
    value: "false",
    args: "IgnoreUnknown=0;K8S_POD_NAME=web-0",
    fails: "unknown args",
  },
  { option: "CNI_ARGS.IgnoreUnknown", value: "neither", args: "IgnoreUnknown=maybe", fails: "boolean unmarshal error" },
  { option: "CNI_ARGS.IgnoreUnknown", value: "no value", args: "IgnoreUnknown", fails: "invalid pair" },
  {
    option: "prevResult",
    value: "ips without interface",
    recall: "ips without interface",
    unseen: "CHECK reads the addresses alone",
  },
  { option: "prevResult", value: "another address", recall: "another address", fails: "Failed to match addr" },
  { option: "prevResult", value: "another MAC", recall: "another MAC", fails: "Mac" },
  {
    option: "prevResult",
    value: "another sandbox",
    recall: "another sandbox",
    fails: "doesn't match configured netns",
  },
  {
    option: "prevResult",
    value: "another name",
    recall: "another name",
    fails: "doesn't match configured netns",
    allowed: "own error",
  },
  {
    option: "prevResult",
    value: "an index that is too high",
    recall: "an index that is too high",
    allowed: "own error",
    unseen: "the plain plugin does not look at it",
  },
  { option: "prevResult", value: "none", recall: "none", fails: "equired prevResult missing" },
];

/** host-local with one range a subnet. */
export function hostLocal(...subnets: readonly string[]): Json {
  return { type: "host-local", ranges: subnets.map((subnet) => [{ subnet }]) };
}

/** The options without a case that bridge and macvlan share. */
export function leftOutOfEvery(owner: Owner): LeftOut[] {
  const reasons: Record<string, string> = {
    cniVersion: "every case is run in every version",
    type: "it is what a wrapper changes",
    capabilities: "libcni reads it, no plugin does: what comes of it is runtimeConfig",
    "cni.dev/valid-attachments.containerID": "only GC has it, and the interface plugins have no GC",
    "cni.dev/valid-attachments.ifname": "only GC has it, and the interface plugins have no GC",
  };
  return Object.entries(reasons).map(([option, why]) => ({ owner, option, why }));
}
