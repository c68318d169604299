import type { Profile } from "../../shared/plan/profile.ts";

/** portmap: forwards ports of the host to the container (plugins/meta/portmap/main.go). */
export const portmap: Profile = { role: "meta" };
