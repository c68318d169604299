import type { Profile } from "../../shared/plan/profile.ts";

/** host-device: an interface of the host, moved into the container and back (plugins/main/host-device/host-device.go). */
export const hostDevice: Profile = {
  role: "creator",
  // cmdDel ends before it frees the addresses where CNI_NETNS is empty.
  delNeedsNamespace: true,
};
