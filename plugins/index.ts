import type { Profiles } from "../shared/plan/profile.ts";
import { bridge } from "./bridge/profile.ts";
import { macvlan } from "./macvlan/profile.ts";

/** The wrapped plugins: each gets an executable `<name>-wrapper`. */
export const profiles = { bridge, macvlan } satisfies Profiles;
