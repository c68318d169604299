import type { JsonObject } from "../../shared/protocol/json.ts";
import { interfaceNameProblem } from "../../shared/protocol/names.ts";
import { isGateway } from "../lists/list.ts";
import { hasIpam } from "./ipam.ts";
import { type Kind, namespaceIn, ownInterface, vethTaken } from "./kinds.ts";
import type { Machine } from "./machine.ts";
import { firstOf, isIpv6, subnetOf } from "./network.ts";
import { linksOn, namesOf, type PluginCall, PluginError, resultOf } from "./plugin.ts";

/** plugins/main/bridge/bridge.go. If IPAM fails, the link stays. */
export const bridge: Kind = {
  link: "veth",
  first: "link",
  freesFirst: false,
  ifTaken: vethTaken,
  begin(machine, { env, config }) {
    const vlan = Number(config.vlan ?? 0);
    if (vlan < 0 || vlan > 4094) throw new PluginError(`invalid VLAN ID ${vlan} (must be between 0 and 4094)`);
    if (env.CNI_COMMAND !== "ADD") return;
    if (hasIpam(config) && config.disableContainerInterface) {
      throw new PluginError("cannot use IPAM when DisableContainerInterface flag is set");
    }
    if (config.hairpinMode && config.promiscMode) {
      throw new PluginError("cannot set hairpin mode and promiscuous mode at the same time");
    }
    const name = bridgeName(config);
    const fail = (reason: string) => {
      throw new PluginError(`failed to create bridge "${name}": ${reason}`);
    };
    if (name === "") fail('could not add "": LinkAttrs.Name cannot be empty');
    if (name.length > 15) fail(`could not add "${name}": numerical result out of range`);
    if (interfaceNameProblem(name) !== undefined) fail(`could not add "${name}": invalid argument`);
    const isOther = name === "lo" || machine.cards?.includes(name) || machine.devices.has(name) || machine.vethOf(name);
    if (isOther) fail(`"${name}" already exists but is not a bridge`);
    const bridge = machine.bridges.get(name) ?? machine.addBridge(name);
    if (config.promiscMode) bridge.isPromiscuous = true;
  },
  hostSide(machine, { config }, link) {
    const name = bridgeName(config);
    link.bridge = name;
    return [
      { name, mac: machine.macOf(name) },
      { name: link.hostEnd, mac: link.hostMac },
    ];
  },
  plan(config, ips, routes) {
    const added: JsonObject[] = [];
    for (const ip of isGateway(config) ? ips : []) {
      ip.gateway ??= firstOf(ip.address);
      const dst = isIpv6(ip.address) ? "::/0" : "0.0.0.0/0";
      const has = [...routes, ...added].some((route) => route.dst === dst && route.gw !== undefined);
      if (config.isDefaultGateway && !has) added.push({ dst, gw: ip.gateway });
    }
    return added;
  },
  finish(machine, { config }, { ips }) {
    const name = bridgeName(config);
    const bridge = machine.bridges.get(name);
    // VLANs have a link of their own for the address.
    if (!bridge || !isGateway(config) || config.vlan) return;
    for (const { address, gateway } of ips) {
      bridge.addresses = addressesWith(bridge.addresses, `${gateway}/${address.replace(/.*\//, "")}`, config);
      // Since 1.10.0 also if the address was there.
      bridge.fixedMac ??= machine.macOf(name);
    }
  },
  checkLinks(machine, call) {
    checkBridge(machine, call.config);
    checkVeth(machine, call, bridgeName(call.config));
  },
};

function bridgeName({ bridge }: JsonObject): string {
  return String(bridge ?? "cni0");
}

function isOnHost(machine: Machine, name: string): boolean {
  return name === "lo" || machine.bridges.has(name) || machine.devices.has(name) || machine.isCard(name);
}

/** The addresses of a bridge with one more (ensureAddr). */
function addressesWith(addresses: readonly string[], address: string, config: JsonObject): readonly string[] {
  if (addresses.includes(address)) return addresses;
  const isMeant = (one: string) =>
    isIpv6(one) === isIpv6(address) && (!isIpv6(one) || subnetOf(one) === subnetOf(address));
  if (addresses.some(isMeant) && !config.forceAddress) {
    throw new PluginError(
      `failed to set bridge addr: "${bridgeName(config)}" already has an IP address different from ${address}`,
    );
  }
  return [...addresses.filter((one) => !isMeant(one)), address];
}

/** validateCniBrInterface */
function checkBridge(machine: Machine, config: JsonObject): void {
  const name = bridgeName(config);
  const listed = resultOf(config).interfaces.findLast((one) => one.name === name);
  if (!listed) throw new PluginError("Interface name missing ");
  const found = machine.bridges.get(name);
  if (!found) throw new PluginError(`Interface name ${name} not found`);
  if (listed.sandbox) throw new PluginError(`Interface ${name} should not be in sandbox`);
  if (listed.mac && listed.mac !== machine.macOf(name)) {
    throw new PluginError(`Bridge interface ${name} Mac doesn't match: ${listed.mac}`);
  }
  // A macvlan on a bridge makes it promiscuous, as it has no filter for a second MAC.
  const isPromiscuous = found.isPromiscuous || linksOn(machine, "macvlan", name).length > 0;
  if (isPromiscuous === (config.promiscMode === true)) return;
  const words = `configured Promisc Mode ${config.promiscMode === true} doesn't match current state`;
  throw new PluginError(`Bridge interface ${name} ${words}: ${isPromiscuous} `);
}

/** validateCniContainerInterface, and validateCniVethInterface of every other interface until the veth is found. */
function checkVeth(machine: Machine, call: PluginCall, bridge: string): void {
  const { ifName } = namesOf(call);
  const own = ownInterface(call);
  const link = namespaceIn(machine, call)?.links.get(ifName);
  if (!link) throw new PluginError(`Interface name ${ifName} not found`);
  if (link.kind !== "veth") throw new PluginError(`Error: Container interface ${ifName} not of type veth`);
  if (own.mac && own.mac !== link.mac) {
    throw new PluginError(`Interface ${ifName} Mac ${own.mac} doesn't match container Mac: ${link.mac}`);
  }
  for (const { name, sandbox } of resultOf(call.config).interfaces) {
    if (name === bridge || name === ifName) continue;
    const end = machine.vethOf(name);
    if (!end && !isOnHost(machine, String(name))) throw new PluginError(`Interface name ${name} not found`);
    if (sandbox) throw new PluginError(`Interface ${name} should not be in sandbox`);
    if (end === link && link.bridge === bridge) return;
  }
  throw new PluginError(`CNI veth created for bridge ${bridge} was not found`);
}
