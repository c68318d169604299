import { addressIn } from "../../shared/attachment/subnet.ts";
import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import { isOwnMac, kernelMac } from "../lists/kernel-text.ts";
import type { Link, Machine, Namespace } from "./machine.ts";
import { type FilledIp, isIpv6, subnetOf } from "./network.ts";
import { linksOn, namesOf, open, type PluginCall, PluginError, resultOf } from "./plugin.ts";

/** The differences between bridge, macvlan, ipvlan and the other creators. */
export interface Kind {
  /** Its link, as the kernel calls it. */
  readonly link: string;
  /** ADD takes it first, and if it then fails, it gives the lease back. */
  readonly first: "link" | "lease";
  /** DEL frees the lease before it deletes the link; else after it. */
  readonly freesFirst: boolean;
  /** Every call begins with it. */
  readonly begin?: (machine: Machine, call: PluginCall) => void;
  /** Fails if a link of this name is there, or uses it. */
  readonly ifTaken: (name: string, config: JsonObject) => string | undefined;
  /** What it does with its host side. Returns what it reports of it. */
  readonly hostSide?: (machine: Machine, call: PluginCall, link: Link) => JsonObject[];
  /** Whether it asks for an IPAM plugin even if the configuration names none. */
  readonly needsIpam?: true;
  /** DEL does nothing without CNI_NETNS, and fails if the namespace is gone. */
  readonly needsNamespace?: true;
  /** Fills in what IPAM gave, and returns the routes that it adds. */
  readonly plan?: (config: JsonObject, ips: FilledIp[], routes: readonly JsonObject[]) => JsonObject[];
  /** What it does when the addresses are set. */
  readonly finish?: (machine: Machine, call: PluginCall, made: { link: Link; ips: FilledIp[] }) => void;
  /** What it does on the host before DEL takes the link. */
  readonly unmake?: (machine: Machine, call: PluginCall, link: Link | undefined) => void;
  /** What CHECK says about the interfaces of the result. */
  readonly checkLinks: (machine: Machine, call: PluginCall) => void;
}

export const vethTaken = (name: string) => `container veth name ("${name}") peer provided ("...") already exists`;

/** The interface of a call in its prevResult, which must have the call's namespace (all cmdCheck). */
export function ownInterface(call: PluginCall, words = "Sandbox"): JsonObject {
  const { ifName, netns } = namesOf(call);
  const own = resultOf(call.config).interfaces.findLast(({ name, sandbox }) => name === ifName && sandbox === netns);
  if (!own) throw new PluginError(`${words} in prevResult  doesn't match configured netns: ${netns}`);
  return own;
}

export function namespaceIn({ namespaces }: Machine, { env }: PluginCall): Namespace | undefined {
  return namespaces.get(env.CNI_NETNS ?? "");
}

/** CHECK of the plugins with one interface compares its kind and its MAC. */
const checkLink =
  (kind: string, words: { sandbox?: string; missing: string; type?: string; mac?: string }): Kind["checkLinks"] =>
  (machine, call) => {
    const own = ownInterface(call, words.sandbox);
    const { ifName } = namesOf(call);
    const link = namespaceIn(machine, call)?.links.get(ifName);
    if (!link) throw new PluginError(`${words.missing} in prevResult: ${ifName} not found`);
    if (words.type && link.kind !== kind) {
      throw new PluginError(
        `${words.type}: Container interface ${ifName} not of type ${kind === "veth" ? "veth/p2p" : kind}`,
      );
    }
    if (words.mac && own.mac && own.mac !== link.mac) {
      throw new PluginError(`${words.mac} ${ifName} Mac ${own.mac} doesn't match container Mac: ${link.mac}`);
    }
  };

/** plugins/main/ptp/ptp.go */
const ptp: Kind = {
  link: "veth",
  needsIpam: true,
  first: "lease",
  freesFirst: true,
  ifTaken: vethTaken,
  hostSide: (_, __, link) => [{ name: link.hostEnd, mac: link.hostMac }],
  finish(machine, call, { link, ips }) {
    const others = [...open(machine, call).links.values()].filter((one) => one !== link);
    const inMain = (one: Link) => one.routes.filter(({ table }) => table === undefined);
    for (const { address, gateway } of ips) {
      const dst = subnetOf(address);
      const fail = (what: string, to: string, { src = "<nil>", gw = "<nil>" }, reason: string) => {
        const route = `{Ifindex: ${link.index} Dst: ${to} Src: ${src} Gw: ${gw} Flags: [] Table: 0 Realm: 0}`;
        throw new PluginError(`failed to ${what} route ${route}: ${reason}`);
      };
      if (!inMain(link).some((one) => one.dst === dst)) fail("delete", dst, {}, "no such process");
      link.routes = link.routes.filter((route) => !(route.isConnected && route.dst === dst));
      const taken = machine.hasEqualRoutes ? inMain(link) : [link, ...others].flatMap(inMain);
      // Without a gateway, it makes a default route.
      const near = gateway === undefined ? undefined : `${gateway}/${isIpv6(address) ? 128 : 32}`;
      const all = isIpv6(address) ? "::/0" : "0.0.0.0/0";
      for (const route of [
        { dst: near ?? all, gw: undefined },
        { dst, gw: gateway },
      ]) {
        const to = route.dst === all ? "<nil>" : route.dst;
        const more = { src: addressIn(address), ...(route.gw !== undefined && { gw: route.gw }) };
        if (taken.some((one) => one.dst === route.dst)) fail("add", to, more, "file exists");
        link.routes.push(route);
      }
    }
    if (ips.every(({ gateway }) => gateway !== undefined)) return;
    const ip = "&net.IPNet{IP:net.IP(nil), Mask:net.IPMask{0xff, 0xff, 0xff, 0xff}}";
    throw new PluginError(`failed to add IP addr (${ip}) to veth: numerical result out of range`);
  },
  checkLinks: checkLink("veth", { missing: "ptp: Container Interface name", type: "Error", mac: "ptp: Interface" }),
};

/** Fails if the card below a macvlan is missing, or the MTU is wrong. Cards that nobody knows may have any MTU. */
function expectMaster(machine: Machine, call: PluginCall): void {
  const { config } = call;
  const master = config.master || machine.defaultDevice;
  if (master === undefined) throw new PluginError("no default route interface found");
  if (!hasMaster(machine, call, master)) throw new PluginError("Link not found");
  const mtu = Number(config.mtu ?? 0);
  if (mtu < 0 || (mtu > 1500 && machine.cards)) {
    throw new PluginError(`invalid MTU ${mtu}, must be [0, master MTU(1500)]`);
  }
}

/** Whether the host has a master, or the container if it is there. */
function hasMaster(machine: Machine, call: PluginCall, master: unknown): boolean {
  const name = String(master);
  if (call.config.linkInContainer) return open(machine, call).links.has(name);
  return name !== "" && (machine.isCard(name) || machine.bridges.has(name));
}

/** Returns a MAC address as Go reads it. Fails as `who` if the kernel refuses it. */
export function readMac(mac: string, who = ""): string {
  const address = kernelMac(mac);
  if (address === undefined)
    throw new PluginError(`invalid args ${mac} for MAC addr: address ${mac}: invalid MAC address`);
  if (!isOwnMac(address)) throw new PluginError(`${who}cannot assign requested address`);
  return address;
}

const macvlanModes = ["", "bridge", "private", "vepa", "passthru"];

/** plugins/main/macvlan/macvlan.go. If IPAM fails, the link stays: the inner `err` hides the one that the clean-up looks at. */
const macvlan: Kind = {
  link: "macvlan",
  first: "link",
  freesFirst: true,
  ifTaken: (name) => `failed to rename macvlan to "${name}": file exists`,
  begin(machine, call) {
    if (call.env.CNI_COMMAND === "DEL") return;
    expectMaster(machine, call);
    const { mode = "", master = "" } = call.config;
    if (!macvlanModes.includes(String(mode))) throw new PluginError(`unknown macvlan mode: "${mode}"`);
    if (call.env.CNI_COMMAND !== "ADD") return;
    if (call.config.mac) readMac(String(call.config.mac), "failed to create macvlan: ");
    const others = linksOn(machine, "macvlan", master).map(({ attributes }) => attributes.get("mode"));
    const isRefused = others.length > 0 && [mode, ...others].includes("passthru");
    if (isRefused) throw new PluginError("failed to create macvlan: invalid argument");
  },
  hostSide(machine, call, link) {
    const { mode = "", master = "", mac } = call.config;
    link.mac = kernelMac(String(mac)) ?? link.mac;
    const isTaken = linksOn(machine, "macvlan", master).some((one) => one !== link && one.mac === link.mac);
    if (isTaken) throw new PluginError(`failed to set "${namesOf(call).ifName}" UP: address already in use`);
    link.attributes.set("mode", String(mode)).set("master", String(master));
    return [];
  },
  checkLinks: checkLink("macvlan", {
    sandbox: "sandbox",
    missing: "container Interface name",
    type: "error",
    mac: "interface",
  }),
};

/** plugins/main/ipvlan/ipvlan.go. The link of another name, which stays if the name is taken, is left out. */
const ipvlan: Kind = {
  ...macvlan,
  link: "ipvlan",
  begin(machine, call) {
    const { env, config } = call;
    if (env.CNI_COMMAND === "CHECK") return;
    const master = config.master || masterBefore(config, machine.defaultDevice);
    if (env.CNI_COMMAND !== "ADD") return;
    const { mode = "" } = config;
    if (!["", "l2", "l3", "l3s"].includes(String(mode))) throw new PluginError(`unknown ipvlan mode: "${mode}"`);
    expectIpvlanMaster(machine, call, master);
  },
  ifTaken: (name) => `failed to rename ipvlan to "${name}": file exists`,
  hostSide(machine, { config: { mode, master = "" } }, { attributes }) {
    attributes.set("master", String(master));
    // The mode is the master's (ipvlan_set_port_mode of the kernel).
    for (const one of linksOn(machine, "ipvlan", master)) one.attributes.set("mode", String(mode || "l2"));
    return [];
  },
  checkLinks(machine, call) {
    ownInterface(call);
    // It does not look for the card with the default route.
    expectIpvlanMaster(machine, call, call.config.master ?? "");
    checkLink("ipvlan", { missing: "Container Interface name", type: "Error" })(machine, call);
    const mode = open(machine, call).links.get(namesOf(call).ifName)?.attributes.get("mode");
    const expected = call.config.mode || "l2";
    if (mode !== expected)
      throw new PluginError(`Container IPVlan mode ${mode} does not match expected value: ${expected}`);
  },
};

function expectIpvlanMaster(machine: Machine, call: PluginCall, master: unknown): void {
  if (!hasMaster(machine, call, master)) throw new PluginError(`failed to lookup master "${master}": Link not found`);
}

/** The master of an ipvlan that names none: the only interface of prevResult, or the card with the default route. */
function masterBefore(config: JsonObject, defaultDevice: string | undefined): unknown {
  if (isJsonObject(config.prevResult)) {
    const [only, another] = resultOf(config).interfaces;
    if (only?.name && !another) return only.name;
    throw new PluginError("chained master failure. PrevResult lacks a single named interface");
  }
  if (defaultDevice === undefined) throw new PluginError("no default route interface found");
  return defaultDevice;
}

/** plugins/main/tap/tap.go. If the name is taken, it goes on with the other's link. It looks for its bridge in the container. */
const tap: Kind = {
  link: "tap",
  first: "link",
  freesFirst: true,
  ifTaken: () => undefined,
  hostSide(machine, call) {
    const { bridge } = call.config;
    if (!bridge) return [];
    const isLink = bridge === "lo" || open(machine, call).links.has(String(bridge));
    const place = `tap ${namesOf(call).ifName} as a port of bridge ${bridge}`;
    throw new PluginError(
      isLink ? `failed to set ${place}: operation not supported` : `failed to get bridge ${bridge}: Link not found`,
    );
  },
  checkLinks: checkLink("tap", { missing: "Interface name" }),
};

/** plugins/main/host-device/host-device.go */
const hostDevice: Kind = {
  link: "device",
  needsNamespace: true,
  first: "link",
  freesFirst: true,
  begin(machine, { env, config }) {
    const isNamed = ["device", "hwaddr", "kernelpath", "pciBusID"].some((key) => config[key]);
    if (!isNamed) throw new PluginError('specify either "device", "hwaddr", "kernelpath" or "pciBusID"');
    if (env.CNI_COMMAND !== "ADD" || machine.isCard(String(config.device))) return;
    throw new PluginError("failed to find host device: Link not found");
  },
  ifTaken: (name, { device }) =>
    `failed to move link failed to move "${name}" (host: "${device}") to container NS: file exists`,
  hostSide(machine, call, { attributes }) {
    const device = String(call.config.device);
    attributes.set("device", device);
    machine.lent.set(device, open(machine, call));
    return [];
  },
  unmake({ lent }, call, link) {
    if (link && link.kind !== "device") {
      throw new PluginError(`failed to find original ifname for "${namesOf(call).ifName}" (alias is not set)`);
    }
    lent.delete(String(call.config.device));
  },
  checkLinks: checkLink("device", { missing: "Container Interface name", mac: "Interface" }),
};

/** The plugins that make an interface, without bridge. */
export const kinds = { ptp, macvlan, ipvlan, tap, "host-device": hostDevice };
