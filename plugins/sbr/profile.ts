import type { Profile } from "../../shared/plan/profile.ts";

/** sbr: routes of the interface in a table of their own, chosen by the source address (plugins/meta/sbr/main.go). */
export const sbr: Profile = {
  role: "meta",
  // doRoutes copies the interface's routes to the table and deletes them; cmdCheck is a stub.
  movesRoutes: true,
};
