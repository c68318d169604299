import * as z from "zod";

/** The keys of ptp itself (plugins/main/ptp/ptp.go, NetConf). */
export const ptpKeys = z
  .object({
    ipMasq: z.boolean().describe("Masquerade traffic that leaves the container's subnet."),
    ipMasqBackend: z
      .enum(["iptables", "nftables"])
      .describe("Backend for ipMasq. Default: iptables, or nftables if the host has no iptables."),
    mtu: z.int().min(0).describe("MTU of the veth pair. Default: the kernel's choice."),
  })
  .partial();
