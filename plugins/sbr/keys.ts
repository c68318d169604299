import * as z from "zod";

/** The keys of sbr itself (plugins/meta/sbr/main.go, PluginConf). */
export const sbrKeys = z
  .object({
    table: z.int().describe("The first routing table. Default: the first free one from 100 on."),
  })
  .partial();
