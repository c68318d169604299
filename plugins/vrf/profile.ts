import type { Profile } from "../../shared/plan/profile.ts";

/** vrf: the interface and its routes go into a VRF of the container (plugins/meta/vrf/main.go, vrf.go). */
export const vrf: Profile = {
  role: "meta",
  // With the interface the kernel moves its subnet's route to the VRF's table, and addInterface its other routes; cmdCheck
  // looks for the interface alone.
  movesRoutes: true,
};
