import * as z from "zod";

/** The keys of sbr itself (plugins/meta/sbr/main.go, PluginConf). */
export const sbrKeys = z
  .object({
    table: z.int().describe("The first routing table. Default: the first free one from 100 on."),
    gateways: z
      .array(z.string())
      .describe("Gateways to use instead of the result's, at most one for each IP version (from version 1.10.0 on)."),
    addSourceHints: z
      .boolean()
      .describe(
        "Also keep routes to the subnets in the main table, with their source address (from version 1.10.0 on).",
      ),
  })
  .partial();
