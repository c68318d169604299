import type { Profile } from "../../shared/plugin/profile.ts";

/** dummy: a device in the container that leads nowhere (plugins/main/dummy/dummy.go). */
export const dummy: Profile = { role: "creator" };
