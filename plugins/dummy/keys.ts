import * as z from "zod";

/** The keys of dummy itself (plugins/main/dummy/dummy.go): none, but it needs `ipam`. */
export const dummyKeys = z.object({
  ipam: z
    .looseObject({ type: z.string().describe("The IPAM plugin.") })
    .describe("The plugin that gives the interface its addresses."),
});
