import * as z from "zod";

/** The keys of portmap itself (plugins/meta/portmap/main.go, PortMapConf). */
export const portmapKeys = z
  .object({
    backend: z
      .enum(["iptables", "nftables"])
      .describe("Backend for the rules. Default: iptables, or nftables if the host has no iptables."),
    snat: z.boolean().describe("Masquerade connections of the host and of the container to itself. Default: true."),
    masqAll: z
      .boolean()
      .describe(
        "Masquerade all connections to published ports. The container does not see the sender. nftables: from version 1.10.0 on.",
      ),
    conditionsV4: z.array(z.string()).describe("Further conditions of the rules for IPv4, in the backend's words."),
    conditionsV6: z.array(z.string()).describe("Further conditions of the rules for IPv6, in the backend's words."),
    markMasqBit: z
      .int()
      .min(0)
      .max(31)
      .describe("Bit of the packet mark for masquerading. Default: 13. Excludes externalSetMarkChain."),
    externalSetMarkChain: z
      .string()
      .describe("iptables chain that sets the mark, such as KUBE-MARK-MASQ. Excludes markMasqBit."),
  })
  .partial()
  .refine((own) => own.markMasqBit === undefined || own.externalSetMarkChain === undefined, {
    path: ["markMasqBit"],
    error: "excludes externalSetMarkChain",
  })
  // ensureBackend: a host without iptables takes conditions of nftables also without `backend`.
  .refine((own) => own.externalSetMarkChain === undefined || own.backend !== "nftables", needs("externalSetMarkChain"))
  .refine((own) => isOfBackend(own.conditionsV4, own.backend), needs("conditionsV4"))
  .refine((own) => isOfBackend(own.conditionsV6, own.backend), needs("conditionsV6"));

function isOfBackend([first]: readonly string[] = [], backend = "iptables"): boolean {
  return !first || (/^[-!]/.test(first) ? "iptables" : "nftables") === backend;
}

function needs(key: string) {
  const error = ({ input }: { readonly input?: unknown }) =>
    `needs "backend": "${Object(input).backend === "nftables" ? "iptables" : "nftables"}"`;
  return { path: [key], error };
}
