import * as z from "zod";

/** The keys of tap itself (plugins/main/tap/tap.go, NetConf). */
export const tapKeys = z
  .object({
    multiQueue: z.boolean().describe("Make a device with several queues."),
    mtu: z.int().min(0).describe("MTU of the device. Default: the kernel's choice."),
    mac: z.string().describe("MAC address of the device."),
    owner: z.int().min(0).max(4294967295).describe("User id that may open the device."),
    group: z.int().min(0).max(4294967295).describe("Group id that may open the device."),
    selinuxContext: z.string().describe("SELinux context of the process that creates the device."),
    bridge: z.string().describe("Bridge in the container's namespace that the device joins. It must exist."),
  })
  .partial();
