import type { Done, Entry } from "../../../shared/journal/journal.ts";
import { chainedOf, entryOf, journalFiles } from "./journals.ts";

/** The content of `expected.json`: the changes for the delegate, and on ADD the result for the runtime. */
export interface Expected {
  readonly delegate: {
    readonly environment: Record<string, string>;
    readonly configuration: { readonly type: string; readonly name: string };
  };
  readonly runtime?: unknown;
}

const creators = ["bridge", "macvlan", "ptp", "ipvlan", "vlan", "host-device", "tap", "dummy"];

/** The call of a recorded request. */
interface Request {
  readonly env: Record<string, string>;
  readonly stdin: { readonly name: string };
}

/** The journal that the ADD of a recorded request's plugin left on the host. The test chooses what depends on the host. */
export function journalOf({ env, stdin }: Request, { delegate }: Expected, changes: Partial<Entry> = {}) {
  const { CNI_CONTAINERID: containerId = "", CNI_IFNAME: runtimeIfName = "" } = env;
  const { CNI_IFNAME: ifName = runtimeIfName } = delegate.environment;
  const { type, name } = delegate.configuration;
  const { prevResult: _, ...rest } = delegate.configuration as { prevResult?: unknown };
  const attachment = { network: stdin.name, containerId, runtimeIfName };
  const entry = { ...attachment, ifName, delegateNetwork: name, configuration: rest, ...changes } as Partial<Entry>;
  const done: Done = { made: 7, addresses: ["10.1.0.2/24"], ...(type === "bridge" && { fixedMac: true }) };
  return journalFiles(creators.includes(type) ? entryOf({ type, done, ...entry }) : chainedOf(type, entry));
}
