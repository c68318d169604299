import type { Profile } from "../../shared/plan/profile.ts";

/** firewall: lets the container's addresses through the host's firewall (plugins/meta/firewall/firewall.go). */
export const firewall: Profile = { role: "meta", delByAddress: true };
