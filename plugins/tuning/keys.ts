import * as z from "zod";

/** The keys of tuning itself (plugins/meta/tuning/tuning.go, TuningConf). */
export const tuningKeys = z
  .object({
    sysctl: z
      .record(z.string(), z.string())
      .describe("sysctls of the container's namespace and their values, as text. IFNAME stands for the interface."),
    mac: z.string().describe("MAC address of the interface."),
    promisc: z.boolean().describe("Put the interface into promiscuous mode."),
    mtu: z.int().min(0).describe("MTU of the interface."),
    txQLen: z.int().min(0).describe("Length of the transmit queue."),
    allmulti: z.boolean().describe("Receive all multicast."),
    dataDir: z.string().describe("Directory for the values to restore on DEL. Default: /run/cni/tuning."),
  })
  .partial();
