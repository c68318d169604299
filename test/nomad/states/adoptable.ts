import { wrapped } from "../../e2e/support.ts";
import type { Own } from "./host.ts";
import { good, scripted } from "./lists.ts";
import type { State } from "./state.ts";

function withThird(...types: readonly [string, string]) {
  return ({ list, macvlan, bridge, secondBridge }: Own) =>
    list(macvlan, { ...bridge, type: types[0] }, { ...secondBridge, type: types[1] });
}

function threeWrapped({ list, macvlan, bridge, secondBridge }: Own) {
  return list(wrapped(macvlan), wrapped(bridge, "eth1"), wrapped(secondBridge, "eth2"));
}

function secondPtp({ list, macvlan, bridge }: Own) {
  return list(macvlan, { type: "ptp-forgetting", ipam: bridge.ipam });
}

/** The states that CHECK fails because a result lacks interfaces that are there. */
export const adoptableStates: readonly State[] = [
  { name: "script that forgot eth1, its lease under the list's name", list: scripted("bridge-forgetting"), now: good },
  { name: "script that forgot eth1, its lease apart", list: scripted("bridge-forgetting-apart"), now: good },
  {
    name: "scripts that forgot eth1 and eth2",
    list: withThird("bridge-forgetting", "bridge-forgetting-eth2"),
    now: threeWrapped,
  },
  {
    name: "script that forgot a ptp",
    list: secondPtp,
    now: ({ list, macvlan, bridge }) => list(wrapped(macvlan), wrapped({ type: "ptp", ipam: bridge.ipam }, "eth1")),
  },
  {
    name: "wrapped, and the last plugin cut the result",
    list: ({ list, macvlan, bridge }) => list(wrapped(macvlan), wrapped(bridge, "eth1"), { type: "cut-result" }),
    now: good,
  },
];
