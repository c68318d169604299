import * as z from "zod";

/** The keys of ipvlan itself (plugins/main/ipvlan/ipvlan.go, NetConf). */
export const ipvlanKeys = z
  .object({
    master: z
      .string()
      .describe("The host's interface. Default: the first interface of prevResult, or the one with the default route."),
    mode: z.enum(["l2", "l3", "l3s"]).describe("The layer that the master works on. Default: l2."),
    mtu: z.int().min(0).describe("MTU of the interface, at most the master's. Default: the kernel's choice."),
    linkInContainer: z.boolean().describe("Look for the master in the container's namespace."),
  })
  .partial();
