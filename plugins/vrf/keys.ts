import * as z from "zod";

/** The keys of vrf itself (plugins/meta/vrf/main.go, VRFNetConf). */
export const vrfKeys = z
  .object({
    vrfname: z.string().describe("Name of the VRF in the container. The plugin creates it if it is missing."),
    table: z.int().min(0).max(4294967295).describe("Routing table of the VRF. Default: the first free one."),
  })
  .partial()
  .required({ vrfname: true });
