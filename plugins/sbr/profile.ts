import type { Profile } from "../../shared/plugin/profile.ts";

/** sbr: moves the interface's routes to their own table, chosen by the source address (plugins/meta/sbr/main.go). */
export const sbr: Profile = {
  role: "meta",
  // doRoutes copies the interface's routes to the table and deletes the originals. cmdCheck is a stub.
  movesRoutes: true,
  names: "interface",
};
