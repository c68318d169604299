import * as z from "zod";

/** The keys of firewall itself (plugins/meta/firewall/firewall.go, FirewallNetConf). */
export const firewallKeys = z
  .object({
    // The plugin takes the default for any other text.
    backend: z
      .string()
      .meta({ examples: ["iptables", "firewalld"] })
      .describe("Backend for the rules: iptables or firewalld. Default: firewalld if it runs, or iptables."),
    iptablesAdminChainName: z
      .string()
      .describe("Chain of the operator, which comes before the plugin's rules. Default: CNI-ADMIN."),
    firewalldZone: z.string().describe("Zone for the container's addresses, for firewalld. Default: trusted."),
    ingressPolicy: z
      .enum(["open", "same-bridge", "isolated"])
      .describe(
        "Who may connect to the container: everybody (open, the default), containers on its bridge, or nobody (isolated).",
      ),
  })
  .partial();
