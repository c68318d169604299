import type { Profile } from "../../shared/plugin/profile.ts";

/** ptp: a veth pair that the host routes, with an address at each end (plugins/main/ptp/ptp.go). */
export const ptp: Profile = {
  role: "creator",
  // cmdAdd calls the IPAM plugin before it makes the veth pair, and its DEL if that fails.
  leasesFirst: true,
  // cmdDel takes the addresses from the interface that it deletes (ip.DelLinkByNameAddr).
  masquerades: true,
};
