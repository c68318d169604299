import type { Profile } from "../../shared/plugin/profile.ts";

/** firewall: lets the container's addresses through the host's firewall (plugins/meta/firewall/firewall.go). */
export const firewall: Profile = {
  role: "meta",
  // DEL removes all rules that name an address of prevResult, whoever has that address.
  names: "address",
};
