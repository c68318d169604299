import { readFileSync } from "node:fs";
import path from "node:path";
import type { SpecVersion } from "../../../conformance/specification.ts";
import { describedBy, type Target } from "../../../conformance/target.ts";
import type { needs } from "../../support/needs.ts";

/** A reference plugin under test. */
export interface Setup extends Pick<Target, "role" | "withoutIpam" | "config"> {
  readonly needs?: keyof typeof needs;
  /** The oldest version of the specification that it has. Without it: 0.3.0. */
  readonly since?: SpecVersion;
}

/** The configuration file of a reference plugin. */
export function configFile(plugin: string): string {
  return path.resolve(import.meta.dirname, "../../../conformance/reference", `${plugin}.json`);
}

function setup(plugin: string, more: Pick<Setup, "needs" | "since"> = {}): Setup {
  return { ...describedBy(JSON.parse(readFileSync(configFile(plugin), "utf8"))), ...more };
}

/** Each reference plugin that has a wrapper. */
export const setups: Readonly<Record<string, Setup>> = {
  bridge: setup("bridge"),
  macvlan: setup("macvlan"),
  ptp: setup("ptp"),
  ipvlan: setup("ipvlan", { needs: "ipvlan" }),
  vlan: setup("vlan", { needs: "vlan" }),
  "host-device": setup("host-device"),
  tap: setup("tap"),
  dummy: setup("dummy", { needs: "dummy" }),
  portmap: setup("portmap"),
  tuning: setup("tuning"),
  bandwidth: setup("bandwidth"),
  firewall: setup("firewall", { since: "0.4.0" }),
  sbr: setup("sbr"),
  vrf: setup("vrf", { needs: "vrf", since: "0.3.1" }),
};
