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
  .refine((own) => isTaken("externalSetMarkChain", own), needs("externalSetMarkChain"))
  .refine((own) => isTaken("conditionsV4", own), needs("conditionsV4"))
  .refine((own) => isTaken("conditionsV6", own), needs("conditionsV6"));

/** The options that only one backend has. Conditions of iptables begin with a hyphen or an exclamation mark (ensureBackend). */
export function backendOptions(own: Readonly<Record<string, unknown>>) {
  const conditions = ["conditionsV4", "conditionsV6"].flatMap((key) => {
    const value = own[key];
    const first = Array.isArray(value) ? String(value[0] ?? "") : "";
    return first === "" ? [] : [{ key, backend: /^[-!]/.test(first) ? "iptables" : "nftables" }];
  });
  const chain = (own.externalSetMarkChain ?? undefined) === undefined ? [] : ["externalSetMarkChain"];
  return [...chain.map((key) => ({ key, backend: "iptables" })), ...conditions];
}

/** Whether the backend takes an option. Without `backend`, a host without iptables takes nftables: then all options must be alike. */
function isTaken(key: string, own: Readonly<Record<string, unknown>>): boolean {
  const options = backendOptions(own);
  const option = options.find((one) => one.key === key);
  const alike = options.some(({ backend }) => backend === "iptables") ? "iptables" : "nftables";
  return option === undefined || option.backend === (own.backend ?? alike);
}

function needs(key: string) {
  const error = ({ input }: { readonly input?: unknown }) =>
    `needs "backend": "${Object(input).backend === "nftables" ? "iptables" : "nftables"}"`;
  return { path: [key], error };
}
