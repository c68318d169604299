import * as z from "zod";

/** The keys of bridge itself (plugins/main/bridge/bridge.go, NetConf). */
export const bridgeKeys = z
  .object({
    bridge: z
      .string()
      .max(15)
      .regex(/^[^/:\s]*$/, "must not contain '/', ':' or white space")
      .describe("Name of the bridge on the host. The plugin creates it if it is missing. Default: cni0."),
    isGateway: z.boolean().describe("Give the bridge the gateway's address, so that it routes for the containers."),
    isDefaultGateway: z
      .boolean()
      .describe("Like isGateway, and the container gets a default route through the bridge."),
    forceAddress: z.boolean().describe("Replace an address that the bridge has if the gateway's address differs."),
    ipMasq: z.boolean().describe("Masquerade traffic that leaves the container's subnet."),
    ipMasqBackend: z
      .enum(["iptables", "nftables"])
      .describe("Backend for ipMasq. Default: iptables, or nftables if the host has no iptables."),
    mtu: z.int().min(0).describe("MTU of the veth pair and of a new bridge. Default: the kernel's choice."),
    hairpinMode: z.boolean().describe("Let a container reach itself through its published address."),
    promiscMode: z.boolean().describe("Put the bridge into promiscuous mode. Excludes hairpinMode."),
    vlan: z.int().min(0).max(4094).describe("VLAN of the container's port. Turns on VLAN filtering."),
    vlanTrunk: z
      .array(
        z
          .object({
            id: z.int().min(1).max(4094).describe("One VLAN."),
            minID: z.int().min(1).max(4094).describe("The first VLAN of a range. Needs maxID."),
            maxID: z.int().min(1).max(4094).describe("The last VLAN of a range. Needs minID."),
          })
          .partial(),
      )
      .describe("Tagged VLANs of the container's port."),
    preserveDefaultVlan: z.boolean().describe("Keep the port in the bridge's default VLAN. For vlan and vlanTrunk."),
    macspoofchk: z.boolean().describe("Drop frames whose source is not the container's MAC address. Needs nftables."),
    enabledad: z.boolean().describe("Let the kernel look for duplicate IPv6 addresses (DAD)."),
    disableContainerInterface: z.boolean().describe("Leave the container's interface down. Without ipam only."),
    portIsolation: z.boolean().describe("Isolate the container's port from other isolated ports of the bridge."),
  })
  .partial()
  .refine(({ hairpinMode, promiscMode }) => !(hairpinMode && promiscMode), {
    path: ["hairpinMode"],
    error: "and promiscMode exclude each other",
  });
