import { wrapped } from "../../e2e/support.ts";
import type { Own, Plugin } from "./host.ts";
import type { State } from "./state.ts";

/** Two creators, both wrapped. */
export function good({ list, macvlan, bridge }: Own) {
  return list(wrapped(macvlan), wrapped(bridge, "eth1"));
}

/** Only the second creator is wrapped. */
export function half({ list, macvlan, bridge }: Own) {
  return list(macvlan, wrapped(bridge, "eth1"));
}

/** A script makes the second interface. */
export function scripted(script: string) {
  return ({ list, macvlan, bridge }: Own) => list(macvlan, { ...bridge, type: script });
}

/** The wrapped list with other keys in bridge. */
function withBridge(keys: (own: Own) => Plugin) {
  return (own: Own) => own.list(wrapped(own.macvlan), { ...wrapped(own.bridge, "eth1"), ...keys(own) });
}

function withThird({ list, macvlan, bridge }: Own) {
  return list(wrapped(macvlan), wrapped(bridge, "eth1"), wrapped(bridge, "eth2"));
}

/** The states that come from the list of ADD and the list of the restart. */
export const listStates: readonly State[] = [
  { name: "wrapped", list: good },
  { name: 'Nomad\'s own list (mode = "bridge")' },
  { name: "merge-only script, still in the list", list: scripted("bridge-merging") },
  { name: "merge-only script, list now wrapped", list: scripted("bridge-merging"), now: good },
  { name: "script that forgot eth1, still in the list", list: scripted("bridge-forgetting") },
  { name: "script that forgot eth1, list now wrapped", list: scripted("bridge-forgetting"), now: good },
  { name: "half-wrapped list", list: half },
  { name: "half-wrapped list, now wrapped", list: half, now: good },
  { name: "comment and unused key added", list: good, now: (own) => ({ ...good(own), "//": "ours", note: 1 }) },
  { name: "subnet changed", list: good, now: withBridge(({ otherIpam }) => ({ ipam: otherIpam })) },
  { name: "ifName changed", list: good, now: withBridge(() => ({ wrapper: { ifName: "eth2" } })) },
  { name: "unknown key under wrapper", list: good, now: withBridge(() => ({ wrapper: { ifname: "eth1" } })) },
  { name: "one creator more in the list", list: good, now: withThird },
  { name: "disableCheck added", list: half, now: (own) => ({ ...half(own), disableCheck: true }) },
  { name: "list of a version without CHECK", list: good, now: (own) => ({ ...good(own), cniVersion: "0.3.1" }) },
];
