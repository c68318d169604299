import type { Lab } from "../../support/lab.ts";
import type { NetworkList } from "../../support/runtime.ts";
import type { Own } from "./host.ts";

/** A kind of state in which allocations may be when their client restarts. */
export interface State {
  readonly name: string;
  /** The list at ADD. Without it, Nomad makes its own list (`mode = "bridge"`). */
  readonly list?: (own: Own) => NetworkList;
  /** The list at the restart, if it differs. */
  readonly now?: (own: Own) => object;
  readonly isPublished?: boolean;
  /** Changes the host after all allocations run. */
  readonly change?: HostChange;
}

/** A change of the host that concerns the allocations in one state. */
export type HostChange = (change: Change) => Promise<unknown>;

/** The host, and the allocations to change. */
export interface Change {
  readonly lab: Lab;
  readonly own: Own;
  readonly ids: readonly string[];
}

/** Changes the namespace of each allocation with ip(8). */
export function inEach(...words: readonly string[]): HostChange {
  return async ({ lab, ids }) => {
    for (const id of ids) await lab.run("ip", ["-n", id, ...words]);
  };
}

/** Runs a shell script once for each allocation, with the allocation's id as $1 and the network's name as $2. */
export function shellForEach(script: string): HostChange {
  return async ({ lab, own, ids }) => {
    for (const id of ids) await lab.run("sh", ["-ec", script, "sh", id, own.network]);
  };
}
