import { newestPlugins } from "../support/go.ts";
import type { AttachOptions, NetworkList } from "../support/runtime.ts";

type Plugin = Record<string, unknown>;

export const newer = { plugins: newestPlugins, runtime: "goCni" } as const;
export const older = { plugins: "1.6.2", runtime: "cnitool" } as const;

/** Both versions of the reference plugins and both runtimes. No wrapper decides anything by the pair of them. */
export const pairs = [newer, older] as const;

/** The rows of a table with one pair each, in turn: the table as a whole runs with both. */
export function inTurn<T extends object>(rows: readonly T[]): (T & (typeof pairs)[number])[] {
  return rows.map((row, index) => ({ ...row, ...(index % 2 === 0 ? newer : older) }));
}

/** The versions of the specification that have chains, and those that also have CHECK. */
export const chainVersions = ["0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"] as const;
export const checkVersions = ["0.4.0", "1.0.0", "1.1.0"] as const;

/** host-local with one range, and routes if there are any. */
export function hostLocal(subnet: string, ...routes: Plugin[]): Plugin {
  return { type: "host-local", ranges: [[{ subnet }]], ...(routes.length > 0 && { routes }) };
}

/** macvlan as an operator writes it, with the default route. */
export const macvlan: Plugin = {
  type: "macvlan",
  master: "uplink0",
  mode: "bridge",
  ipam: hostLocal("172.16.5.0/24", { dst: "0.0.0.0/0" }),
};

/** bridge as an operator writes it, with another route. */
export const bridge: Plugin = {
  type: "bridge",
  bridge: "disc0",
  isGateway: true,
  ipam: hostLocal("172.26.64.0/20", { dst: "10.99.0.0/16", gw: "172.26.64.1" }),
};

/** Another bridge, for eth0. */
export const front: Plugin = { type: "bridge", bridge: "front0", isGateway: true, ipam: hostLocal("172.30.0.0/20") };

/** ptp as an operator writes it. */
export const ptp: Plugin = { type: "ptp", ipam: hostLocal("10.50.0.0/24") };

/** firewall with the backend that every host has. */
export const firewall: Plugin = { type: "firewall", backend: "iptables" };

/** portmap as an operator writes it. */
export const portmap: Plugin = { type: "portmap", capabilities: { portMappings: true } };

/** What a runtime passes to publish this port of the host as a port of the container. */
export function published(hostPort: number, containerPort = 80): AttachOptions {
  return { ports: [{ hostPort, containerPort, protocol: "tcp" }] };
}

/** The same plugin configuration for the wrapper, with another interface name if one is given. */
export function wrapped(plugin: Plugin, ifName?: string): Plugin {
  return { ...plugin, type: `${plugin.type}-wrapper`, ...(ifName && { wrapper: { ifName } }) };
}

/** A network configuration list called `zone`. Its version comes first, if it is not 1.0.0. */
export function zone(...plugins: Plugin[]): NetworkList;
export function zone(cniVersion: string, ...plugins: Plugin[]): NetworkList;
export function zone(...all: (string | Plugin)[]): NetworkList {
  const [cniVersion] = all.filter((one) => typeof one === "string");
  return { cniVersion: cniVersion ?? "1.0.0", name: "zone", plugins: all.filter((one) => typeof one !== "string") };
}

/** A list of another name. */
export function named(name: string, ...plugins: Plugin[]): NetworkList {
  return { ...zone(...plugins), name };
}

/** The chain of the README: macvlan makes eth0, bridge makes eth1. */
export function twoInterfaces(cniVersion = "1.0.0"): NetworkList {
  return zone(cniVersion, wrapped(macvlan), wrapped(bridge, "eth1"));
}

/** A command whose first thread ends, while another one goes on: /proc/<pid> then shows no namespaces. */
export const withoutFirstThread = [
  "perl",
  ...["-Mthreads", "-MConfig", "-e"],
  // exit(2) ends a thread, and has another number on aarch64.
  "threads->create(sub { sleep 600 }); syscall($Config{archname} =~ /x86_64/ ? 60 : 93, 0)",
];
