import * as z from "zod";

/** The keys of `dns` (types.DNS). */
export const dnsKeys = z
  .object({
    nameservers: z.array(z.string()).describe("Addresses of name servers."),
    domain: z.string().describe("Domain for short names."),
    search: z.array(z.string()).describe("Search list for short names."),
    options: z.array(z.string()).describe("Options, as in resolv.conf."),
  })
  .partial()
  .describe("DNS settings of the result. The runtime decides how to use them.");
