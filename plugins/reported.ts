import type { Reported } from "../shared/plugin/reported.ts";
import { bandwidth } from "./bandwidth/reported.ts";
import { bridge } from "./bridge/reported.ts";
import { dummy } from "./dummy/reported.ts";
import { firewall } from "./firewall/reported.ts";
import { hostDevice } from "./host-device/reported.ts";
import type { profiles } from "./index.ts";
import { ipvlan } from "./ipvlan/reported.ts";
import { macvlan } from "./macvlan/reported.ts";
import { portmap } from "./portmap/reported.ts";
import { ptp } from "./ptp/reported.ts";
import { sbr } from "./sbr/reported.ts";
import { tap } from "./tap/reported.ts";
import { tuning } from "./tuning/reported.ts";
import { vlan } from "./vlan/reported.ts";
import { vrf } from "./vrf/reported.ts";

/** The answers of the wrapped plugins, by type. Only the commands use them. */
export const reported: Readonly<Record<keyof typeof profiles, Reported>> = {
  bridge,
  macvlan,
  ptp,
  ipvlan,
  vlan,
  "host-device": hostDevice,
  tap,
  dummy,
  portmap,
  tuning,
  bandwidth,
  firewall,
  sbr,
  vrf,
};
