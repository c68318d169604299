import * as z from "zod";

/** The keys of macvlan itself (plugins/main/macvlan/macvlan.go, NetConf). */
export const macvlanKeys = z
  .object({
    master: z.string().describe("The host's interface. Default: the one with the default route."),
    mode: z
      .enum(["bridge", "private", "vepa", "passthru"])
      .describe("How containers on one master reach each other. Default: bridge."),
    mtu: z.int().min(0).describe("MTU of the interface, at most the master's. Default: the kernel's choice."),
    mac: z.string().describe("MAC address of the interface."),
    linkInContainer: z.boolean().describe("Look for the master in the container's namespace."),
    bcqueuelen: z.int().min(0).max(4294967295).describe("Length of the queue for broadcast and multicast."),
  })
  .partial();
