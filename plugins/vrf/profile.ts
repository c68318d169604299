import type { Profile } from "../../shared/plugin/profile.ts";

/** vrf: moves the interface and its routes into a VRF of the container (plugins/meta/vrf/main.go, vrf.go). */
export const vrf: Profile = {
  role: "meta",
  // With the interface, the kernel moves its subnet's route to the VRF's table, and addInterface moves its other routes.
  // cmdCheck looks only for the interface.
  movesRoutes: true,
  names: "interface",
};
