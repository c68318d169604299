import { casesOf, type Json, type LeftOut, type Owner, type SurfaceCase } from "./case.ts";

/** host-local with one range a subnet, IPv4 and IPv6. */
export const dualStack = hostLocal("172.26.64.0/20", "fd00:26::/64");

/** The cases of the options that all plugins share, and of the runtime's variables and keys. */
export const everyPlugin: readonly SurfaceCase[] = casesOf({
  name: { "another network": { config: { name: "backbone" } } },
  "ipam.type": {
    missing: { config: { ipam: { type: "missing-ipam" } }, fails: "failed to find plugin" },
    "a number": { config: { ipam: { type: 5 } }, fails: "cannot unmarshal number" },
  },
  "runtimeConfig.mac": {
    "a MAC": { config: { runtimeConfig: { mac: "02:00:00:00:00:77" } } },
    "over that of CNI_ARGS": {
      config: { runtimeConfig: { mac: "02:00:00:00:00:77" } },
      args: "IgnoreUnknown=1;MAC=02:00:00:00:00:76",
    },
  },
  "CNI_ARGS.MAC": {
    "a MAC": { args: "IgnoreUnknown=1;MAC=02:00:00:00:00:77" },
    "no MAC": { args: "IgnoreUnknown=1;MAC=nonsense", fails: "address nonsense: invalid MAC address" },
    "without IgnoreUnknown, which ipam needs": { args: "MAC=02:00:00:00:00:77", fails: "unknown args" },
  },
  "CNI_ARGS.IgnoreUnknown": {
    true: { args: "IgnoreUnknown=true;K8S_POD_NAME=web-0", unseen: "the argument that is not known means nothing" },
    false: { args: "IgnoreUnknown=0;K8S_POD_NAME=web-0", fails: "unknown args" },
    neither: { args: "IgnoreUnknown=maybe", fails: "boolean unmarshal error" },
    "no value": { args: "IgnoreUnknown", fails: "invalid pair" },
  },
  prevResult: {
    "ips without interface": { recall: "ips without interface", unseen: "CHECK reads the addresses alone" },
    "another address": { recall: "another address", fails: "Failed to match addr" },
    "another MAC": { recall: "another MAC", fails: "Mac" },
    "another sandbox": { recall: "another sandbox", fails: "doesn't match configured netns" },
    "another name": { recall: "another name", fails: "doesn't match configured netns", allowed: "own error" },
    "an index that is too high": {
      recall: "an index that is too high",
      allowed: "own error",
      unseen: "the plain plugin does not look at it",
    },
    none: { recall: "none", fails: "equired prevResult missing" },
  },
});

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
