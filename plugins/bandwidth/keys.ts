import * as z from "zod";

/** The keys of bandwidth itself (plugins/meta/bandwidth/main.go, BandwidthEntry). */
export const bandwidthKeys = z
  .object({
    ingressRate: z.int().min(0).describe("Limit for traffic to the container, in bits per second. Needs ingressBurst."),
    ingressBurst: z.int().min(0).describe("Burst for traffic to the container, in bits. Needs ingressRate."),
    egressRate: z.int().min(0).describe("Limit for traffic from the container, in bits per second. Needs egressBurst."),
    egressBurst: z.int().min(0).describe("Burst for traffic from the container, in bits. Needs egressRate."),
  })
  .partial();
