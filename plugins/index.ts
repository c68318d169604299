import type { Profiles } from "../shared/plugin/profile.ts";
import { bandwidth } from "./bandwidth/profile.ts";
import { bridge } from "./bridge/profile.ts";
import { dummy } from "./dummy/profile.ts";
import { firewall } from "./firewall/profile.ts";
import { hostDevice } from "./host-device/profile.ts";
import { ipvlan } from "./ipvlan/profile.ts";
import { macvlan } from "./macvlan/profile.ts";
import { portmap } from "./portmap/profile.ts";
import { ptp } from "./ptp/profile.ts";
import { sbr } from "./sbr/profile.ts";
import { tap } from "./tap/profile.ts";
import { tuning } from "./tuning/profile.ts";
import { vlan } from "./vlan/profile.ts";
import { vrf } from "./vrf/profile.ts";

/** The wrapped plugins. Each gets an executable `<name>-wrapper`. */
export const profiles = {
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
} satisfies Profiles;
