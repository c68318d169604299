import type { Profile } from "../../shared/plugin/profile.ts";

/** host-device: moves an interface of the host into the container and back (plugins/main/host-device/host-device.go). */
export const hostDevice: Profile = {
  role: "creator",
  // If CNI_NETNS is empty, cmdDel returns before it frees the addresses.
  delNeedsNamespace: true,
};
