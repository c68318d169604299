import type { Profile } from "../../shared/plan/profile.ts";

/** firewall: the container's addresses are let through the host (plugins/meta/firewall/firewall.go). */
export const firewall: Profile = { role: "meta" };
