import type { CniResult } from "../../../shared/protocol/result.ts";
import { frozen } from "./frozen.ts";
import { blue } from "./requests.ts";

/** macvlan's result for eth0. */
export const macvlanResult = frozen({
  cniVersion: "1.0.0",
  interfaces: [{ name: "eth0", mac: "02:00:00:00:00:01", sandbox: blue }],
  ips: [{ address: "172.16.5.2/24", gateway: "172.16.5.1", interface: 0 }],
  routes: [{ dst: "0.0.0.0/0", gw: "172.16.5.1" }],
  dns: { nameservers: ["172.16.5.1"] },
} satisfies CniResult);

/** bridge's result for eth1. */
export const bridgeResult = frozen({
  cniVersion: "1.0.0",
  interfaces: [
    { name: "disc0", mac: "02:00:00:00:00:02" },
    { name: "veth1", mac: "02:00:00:00:00:03" },
    { name: "eth1", mac: "02:00:00:00:00:04", sandbox: blue },
  ],
  ips: [{ address: "172.26.64.2/20", gateway: "172.26.64.1", interface: 2 }],
  routes: [{ dst: "10.99.0.0/16" }, { dst: "10.98.0.0/16", gw: "172.26.64.1" }],
  dns: { nameservers: ["172.26.64.1"] },
} satisfies CniResult);

/** The runtime's result after a wrapped bridge made eth1, after macvlan's eth0. */
export const bothResult = frozen({
  cniVersion: "1.0.0",
  interfaces: [
    { name: "eth0", mac: "02:00:00:00:00:01", sandbox: blue },
    { name: "disc0", mac: "02:00:00:00:00:02" },
    { name: "veth1", mac: "02:00:00:00:00:03" },
    { name: "eth1", mac: "02:00:00:00:00:04", sandbox: blue },
  ],
  ips: [
    { address: "172.16.5.2/24", gateway: "172.16.5.1", interface: 0 },
    { address: "172.26.64.2/20", gateway: "172.26.64.1", interface: 3 },
  ],
  routes: [{ dst: "0.0.0.0/0", gw: "172.16.5.1" }, { dst: "10.99.0.0/16" }, { dst: "10.98.0.0/16", gw: "172.26.64.1" }],
  dns: { nameservers: ["172.16.5.1", "172.26.64.1"] },
} satisfies CniResult);

/** What the wrapped bridge may see of it: its own interface, the host-side ones before it, and no route through eth0's gateway. */
export const bridgeView = frozen({
  ...bridgeResult,
  routes: [{ dst: "10.99.0.0/16" }, { dst: "10.98.0.0/16", gw: "172.26.64.1" }],
  dns: { nameservers: ["172.16.5.1", "172.26.64.1"] },
} satisfies CniResult);
