import type { Profile } from "../../shared/plugin/profile.ts";

/** tuning: sets sysctls, MAC, MTU and flags of the container interface (plugins/meta/tuning/tuning.go). */
export const tuning: Profile = {
  role: "meta",
  // The backup of the earlier values is a file of container and interface (createBackup).
  names: "interface",
};
