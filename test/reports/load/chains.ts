import { firewall, hostLocal, portmap, wrapped } from "../../e2e/support.ts";
import type { AttachOptions, NetworkList } from "../../support/runtime.ts";

/** A network configuration list under load. */
export interface Chain {
  readonly list: NetworkList;
  /** The executables of its calls. Each of them may be killed. */
  readonly executables: readonly string[];
  readonly hasPorts: boolean;
}

type Plugin = Readonly<Record<string, unknown>>;

const macvlan = { type: "macvlan", master: "uplink0", ipam: hostLocal("172.16.0.0/16") };
const tuning = { type: "tuning", mtu: 1400, sysctl: { "net.ipv4.conf.IFNAME.arp_filter": "1" } };
const ptp = { type: "ptp", ipMasq: true, ipam: hostLocal("10.50.0.0/16") };
const disc = bridgeOf("disc0", "172.26.0.0/16");
const front = { ...bridgeOf("front0", "172.30.0.0/16"), ipMasq: true };
const back = { ...bridgeOf("back0", "172.31.0.0/16"), ipMasq: true };
const side = bridgeOf("side0", "10.60.0.0/16");

/** Each wrapped chain makes two interfaces. The last plugin belongs to eth1. */
export const wrappedChains: readonly Chain[] = [
  chainOf("ports", wrapped(macvlan), wrapped(disc, "eth1"), wrapped(portmap, "eth1")),
  chainOf("twins", wrapped(front), wrapped(back, "eth1"), wrapped(tuning, "eth1")),
  chainOf("routed", wrapped(ptp), wrapped(side, "eth1"), wrapped(firewall, "eth1")),
];

/** The same plugins without wrappers. They cannot make a second interface, so each interface has a list of its own. */
export const plainChains: readonly Chain[] = [
  chainOf("macvlan", macvlan),
  chainOf("ports", disc, portmap),
  chainOf("twins", front, tuning),
  chainOf("routed", ptp, firewall),
];

/** The ports of an attachment; none if its list has no portmap. */
export function portsOf({ hasPorts }: Chain, number: number): AttachOptions {
  return hasPorts ? { ports: [{ hostPort: 10_000 + number, containerPort: 80, protocol: "tcp" }] } : {};
}

function bridgeOf(bridge: string, subnet: string): Plugin {
  return { type: "bridge", bridge, isGateway: true, ipam: hostLocal(subnet) };
}

function chainOf(name: string, ...plugins: Plugin[]): Chain {
  const types = plugins.map(({ type }) => String(type)).flatMap((type) => [type, type.replace(/-wrapper$/, "")]);
  const executables = [...new Set([...types, "host-local"])];
  return { list: { cniVersion: "1.1.0", name, plugins }, executables, hasPorts: types.includes("portmap") };
}
