import type { Profile } from "../../shared/plan/profile.ts";

/** portmap: ports of the host lead to the container (plugins/meta/portmap/main.go). */
export const portmap: Profile = { role: "meta" };
