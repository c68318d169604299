import type { Profile } from "../../shared/plugin/profile.ts";

/** bridge: a veth pair between the container and a bridge of the host (plugins/main/bridge/bridge.go). */
export const bridge: Profile = {
  role: "creator",
  sharedDevice: { key: "bridge", fallback: "cni0" },
  // cmdDel takes the addresses from the interface that it deletes (ip.DelLinkByNameAddr).
  masquerades: true,
  // If CNI_NETNS is empty or gone, cmdDel returns before it calls SpoofChecker.Teardown.
  checksSpoofs: true,
  // Before 1.10.0, cmdCheck calls ipam.ExecCheck even if there is no `ipam`.
  checkNeedsIpam: true,
};
