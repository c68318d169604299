import type { Profile } from "../../shared/plugin/profile.ts";

/** tap: a tap device in the container, for a process that acts as a network card (plugins/main/tap/tap.go). */
export const tap: Profile = {
  role: "creator",
  // createTap goes on if RenameLink fails.
  takesNamesake: true,
};
