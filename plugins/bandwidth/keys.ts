import * as z from "zod";

/** The keys of bandwidth itself (plugins/meta/bandwidth/main.go, BandwidthEntry). */
export const bandwidthKeys = z
  .object({
    ingressRate: z.int().min(0).describe("Limit for traffic to the container, in bits per second. Needs ingressBurst."),
    ingressBurst: z.int().min(0).describe("Burst for traffic to the container, in bits. Needs ingressRate."),
    egressRate: z.int().min(0).describe("Limit for traffic from the container, in bits per second. Needs egressBurst."),
    egressBurst: z.int().min(0).describe("Burst for traffic from the container, in bits. Needs egressRate."),
  })
  .partial()
  // validateRateAndBurst: 0 is the same as none.
  .refine((own) => !own.ingressRate || own.ingressBurst, needs("ingressRate", "ingressBurst"))
  .refine((own) => !own.ingressBurst || own.ingressRate, needs("ingressBurst", "ingressRate"))
  .refine((own) => !own.egressRate || own.egressBurst, needs("egressRate", "egressBurst"))
  .refine((own) => !own.egressBurst || own.egressRate, needs("egressBurst", "egressRate"));

function needs(key: string, other: string) {
  return { path: [key], error: `needs ${other}` };
}
