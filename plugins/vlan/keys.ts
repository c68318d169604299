import * as z from "zod";

/** The keys of vlan itself (plugins/main/vlan/vlan.go, NetConf). */
export const vlanKeys = z
  .object({
    master: z.string().describe("The host's interface."),
    vlanId: z.int().min(0).max(4094).describe("The VLAN."),
    mtu: z.int().min(0).describe("MTU of the interface, at most the master's. Default: the kernel's choice."),
    linkInContainer: z.boolean().describe("Look for the master in the container's namespace."),
  })
  .partial()
  .required({ master: true });
