import type * as z from "zod";
import { bandwidthKeys } from "./bandwidth/keys.ts";
import { bridgeKeys } from "./bridge/keys.ts";
import { dummyKeys } from "./dummy/keys.ts";
import { firewallKeys } from "./firewall/keys.ts";
import { hostDeviceKeys } from "./host-device/keys.ts";
import type { profiles } from "./index.ts";
import { ipvlanKeys } from "./ipvlan/keys.ts";
import { macvlanKeys } from "./macvlan/keys.ts";
import { portmapKeys } from "./portmap/keys.ts";
import { ptpKeys } from "./ptp/keys.ts";
import { sbrKeys } from "./sbr/keys.ts";
import { tapKeys } from "./tap/keys.ts";
import { tuningKeys } from "./tuning/keys.ts";
import { vlanKeys } from "./vlan/keys.ts";
import { vrfKeys } from "./vrf/keys.ts";

/**
 * The reference plugins' own keys, for `lint` and the JSON Schema. No wrapper imports them: zod would slow down its start.
 * The keys are those of `keysVersion`. An older plugin ignores a newer key.
 */
export const pluginKeys = {
  bridge: bridgeKeys,
  macvlan: macvlanKeys,
  ptp: ptpKeys,
  ipvlan: ipvlanKeys,
  vlan: vlanKeys,
  "host-device": hostDeviceKeys,
  tap: tapKeys,
  dummy: dummyKeys,
  portmap: portmapKeys,
  tuning: tuningKeys,
  bandwidth: bandwidthKeys,
  firewall: firewallKeys,
  sbr: sbrKeys,
  vrf: vrfKeys,
} satisfies Record<keyof typeof profiles, z.ZodObject>;

/** The version of the plugins whose keys are in `pluginKeys`. A later one may have others. */
export const keysVersion = "1.10.0";

/** Keys in `pluginKeys` that older plugins in use do not have, and the first version that has them. */
export const laterKeys: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "host-device": { useInterfaceNetwork: "1.10.0" },
  sbr: { gateways: "1.10.0", addSourceHints: "1.10.0" },
};
