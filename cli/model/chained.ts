import { addressIn } from "../../shared/attachment/subnet.ts";
import { isJsonObject, type JsonObject, objectOf } from "../../shared/protocol/json.ts";
import { isChainName, kernelMac, kernelNumbers } from "../lists/kernel-text.ts";
import { bandwidth } from "./bandwidth.ts";
import { namespaceIn, readMac } from "./kinds.ts";
import type { Link, Route } from "./machine.ts";
import { hasNoIpv6, isIn, isIpv6, subnetOf } from "./network.ts";
import { linksOn, namesOf, open, type Plugin, type PluginCall, PluginError, passedOn, resultOf } from "./plugin.ts";
import { portmap } from "./portmap.ts";

const forward = "CNI-FORWARD";

/** The rules for an address, as firewall writes them (plugins/meta/firewall/iptables.go, getPrivChainRules). */
function passages(address: string): string[] {
  const ip = `${addressIn(address)}/${isIpv6(address) ? 128 : 32}`;
  return [`-d ${ip} -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT`, `-s ${ip} -j ACCEPT`];
}

/** firewall: rules that name nothing but an address. */
const firewall: Plugin = {
  *add(machine, call) {
    const result = passedOn(call.config, "missing prevResult from earlier plugin");
    const { backend, iptablesAdminChainName: chain } = call.config;
    for (const { address } of resultOf(call.config).ips) {
      if (chain && backend !== "firewalld" && !isChainName(String(chain)))
        throw new PluginError(`failed to check iptables chain existence: iptables refuses the name ${chain}`);
      for (const text of passages(String(address))) machine.appendUnique(forward, text);
      yield "address let through";
    }
    const policy = ingressPolicyOf(call);
    if (policy === "open" || resultOf(call.config).interfaces.length > 0) return result;
    const hint = 'make sure to chain "firewall" plugin with "bridge"';
    throw new PluginError(`interface needs to be set for ingress policy "${policy}", ${hint}`);
  },
  check(machine, call) {
    passedOn(call.config, "missing prevResult from earlier plugin");
    const wanted = resultOf(call.config).ips.flatMap(({ address }) => passages(String(address)));
    const missing = wanted.find((text) => !machine.hasRule(forward, text));
    if (missing !== undefined) throw new PluginError(`expected rule [${missing}] not found`);
  },
  *del(machine, call) {
    for (const { address } of resultOf(call.config).ips) {
      const own = passages(String(address));
      machine.removeRules((rule) => rule.chain === forward && own.includes(rule.text));
      yield "rule removed";
    }
    ingressPolicyOf(call);
  },
};

function ingressPolicyOf({ config: { ingressPolicy } }: PluginCall): string {
  const policy = String(ingressPolicy || "open");
  if (["open", "same-bridge", "isolated"].includes(policy)) return policy;
  throw new PluginError(`unknown ingress policy: "${policy}"`);
}

/** The attributes that tuning sets, with their values: those of the link, and the sysctls of the namespace. */
function wantedOf({ args, runtimeConfig, ...config }: JsonObject): [string, number | string][] {
  const asked = objectOf(objectOf(args).cni);
  const { mtu, promisc, allmulti, txQLen } = { ...config, ...asked };
  const mac = asked.mac ?? objectOf(runtimeConfig).mac ?? config.mac;
  const wanted = {
    ...(Boolean(mac) && { mac: String(mac) }),
    ...(promisc === true && { promisc: 1 }),
    ...(Boolean(mtu) && { mtu: Number(mtu) }),
    ...(allmulti !== undefined && { allmulti: Number(allmulti === true) }),
    ...(txQLen !== undefined && { txQLen: Number(txQLen) }),
    ...objectOf(config.sysctl),
  };
  return Object.entries<number | string>(wanted as Record<string, number | string>);
}

const isSysctl = (name: string) => name.includes(".") || name.includes("/");

function backupOf({ env, config }: PluginCall): string {
  return `${config.dataDir || "/run/cni/tuning"}/${env.CNI_CONTAINERID}_${env.CNI_IFNAME}.json`;
}

function attribute(link: Link, name: string): number | string {
  return name === "mac" ? link.mac : (link.attributes.get(name) ?? 0);
}

function setAttribute(link: Link, name: string, value: number | string): void {
  if (name === "mac") link.mac = kernelMac(String(value)) ?? link.mac;
  else link.attributes.set(name, value);
  if (!hasNoIpv6(link)) return;
  link.addresses = link.addresses.filter((one) => !isIpv6(one));
  link.routes = link.routes.filter(({ dst }) => !isIpv6(dst));
}

/** tuning: keeps what it changes in one file for the container and the interface (plugins/meta/tuning/tuning.go). */
const tuning: Plugin = {
  *add(machine, call) {
    const wanted = wantedOf(call.config);
    const strange = wanted.find(([name]) => isSysctl(name) && !/^net[./]/.test(name));
    const result = passedOn(call.config, "Required prevResult missing");
    if (strange) throw new PluginError(`invalid net sysctl key: "${strange[0].replaceAll(".", "/")}"`);
    const link = open(machine, call).links.get(String(call.env.CNI_IFNAME));
    const own = wanted.filter(([name]) => !isSysctl(name));
    if (own.length === 0) return result;
    if (!link) throw new PluginError(`failed to get "${call.env.CNI_IFNAME}": Link not found`);
    const former = own.map(([name]) => [name, attribute(link, name)]);
    // DEL leaves the file if the link or the namespace is gone.
    machine.writeFile(backupOf(call), JSON.stringify(former), true);
    yield "backup written";
    const mac = own.find(([name]) => name === "mac")?.[1];
    const others = linksOn(machine, "macvlan", link.attributes.get("master")).filter((one) => one !== link);
    const address = mac === undefined ? link.mac : readMac(String(mac));
    if (link.kind === "macvlan" && others.some((one) => one.mac === address))
      throw new PluginError("address already in use");
    for (const [name, value] of own) setAttribute(link, name, value);
    yield "attributes set";
    return withMac(result, String(call.env.CNI_IFNAME), String(mac ?? link.mac));
  },
  check(machine, call) {
    passedOn(call.config, "Required prevResult missing");
    const name = String(call.env.CNI_IFNAME);
    for (const [key, value] of Object.entries(objectOf(call.config.sysctl))) {
      const now = kernelNumbers(String(value));
      if (now === value) continue;
      const file = `/proc/sys/${key.replaceAll(".", "/").replace("IFNAME", name)}`;
      throw new PluginError(`Error: Tuning configured value of ${file} is ${value}, current value is ${now}`);
    }
    const link = open(machine, call).links.get(name);
    if (!link) throw new PluginError(`Cannot find container link ${name}`);
    const wanted = new Map([["promisc", 0], ...wantedOf(call.config)]);
    for (const [key, value] of wanted) {
      const now = attribute(link, key);
      if (isSysctl(key) || now === value) continue;
      const words: Record<string, string> = {
        mac: `configured Ethernet of ${name} is ${value}`,
        promisc: `link ${name} configured promisc is ${value === 1}`,
        mtu: `configured MTU of ${name} is ${value}`,
        // It prints two pointers.
        allmulti: `configured all-multicast mode of ${name} is 0x...`,
        txQLen: `configured Transmit Queue Length of ${name} is 0x...`,
      };
      throw new PluginError(`Error: Tuning ${words[key]}, current value is ${key === "allmulti" ? now === 1 : now}`);
    }
  },
  *del(machine, call) {
    const link = namespaceIn(machine, call)?.links.get(String(call.env.CNI_IFNAME));
    const backup = machine.files.get(backupOf(call))?.text;
    if (!link || backup === undefined) return;
    for (const [name, value] of JSON.parse(backup)) setAttribute(link, name, value);
    yield "attributes restored";
    machine.files.delete(backupOf(call));
  },
};

function withMac(result: JsonObject, ifName: string, mac: string): JsonObject {
  const { interfaces } = resultOf({ prevResult: result });
  if (interfaces.length === 0) return result;
  return { ...result, interfaces: interfaces.map((one) => (one.name === ifName ? { ...one, mac } : one)) };
}

/** sbr: a table for each address of its interface. DEL asks the interface for them, and fails without a namespace (plugins/meta/sbr). */
const sbr: Plugin = {
  *add(machine, call) {
    const result = passedOn(call.config, "This plugin must be called as chained plugin");
    const { ifName } = namesOf(call);
    const { interfaces, ips } = resultOf(call.config);
    if (ips.length === 0) throw new PluginError(`No IP addresses supplied on interface: ${ifName}`);
    const { sources, links } = open(machine, call);
    const link = links.get(ifName);
    if (!link) throw new PluginError(`Cannot find network interface ${ifName}: Link not found`);
    const isOwn = (index: unknown) =>
      typeof index !== "number" ? true : (interfaces[index]?.name ?? ifName) === ifName;
    const own = ips.filter((ip) => isOwn(ip.interface)).map(({ address }) => String(address));
    // With a table of the list's, it adds only rules. The routes are IPAM's.
    const { table: listed, addSourceHints, gateways } = call.config;
    const movesRoutes = typeof listed !== "number";
    const given = Array.isArray(gateways) ? gateways.map(String) : [];
    for (const address of own) {
      const ofFamily = given.find((one) => isIpv6(one) === isIpv6(address));
      const gateway = ofFamily ?? ips.find((ip) => ip.address === address)?.gateway;
      const near = link.routes.filter(({ table, gw }) => table === undefined && gw === undefined);
      if (movesRoutes && gateway !== undefined && !near.some(({ dst }) => isIn(dst, String(gateway)))) {
        throw new PluginError(`Failed to add default route to ${gateway}: network is unreachable`);
      }
      sources.set(address, machine.makers());
      yield "rule added";
    }
    // The routes of the link leave the main table, also those that no table of an address got.
    const [first] = own;
    const subnets = movesRoutes && addSourceHints === true ? own.map(subnetOf) : [];
    // ptp's route to its gateway has the scope of the link, too.
    const isLinks = ({ gw, dst }: Route) => gw === undefined && (subnets.includes(dst) || /^[\d.]+\/32$/.test(dst));
    const stays = (route: Route) => !movesRoutes || route.table || (addSourceHints === true && isLinks(route));
    link.routes = link.routes.map((route) =>
      stays(route) ? route : { ...route, table: own.find((one) => isIpv6(one) === isIpv6(route.dst)) ?? String(first) },
    );
    // ptp has replaced the kernel's.
    const isMissing = (subnet: string) => !link.routes.some(({ dst, table }) => dst === subnet && table === undefined);
    link.routes.push(...subnets.filter(isMissing).map((dst) => ({ dst, gw: undefined, isConnected: true as const })));
    return result;
  },
  check() {},
  *del(machine, call) {
    const namespace = namespaceIn(machine, call);
    if (!namespace) throw new PluginError(`open ${call.env.CNI_NETNS ?? ""}: no such file or directory`);
    for (const address of namespace.links.get(String(call.env.CNI_IFNAME))?.addresses ?? []) {
      namespace.sources.delete(address);
      yield "rule deleted";
    }
  },
};

/** loopback (plugins/main/loopback): the namespace's own link, which only it sets up. */
const loopback: Plugin = {
  *add(machine, call) {
    open(machine, call).isUp = true;
    yield "up";
    const { prevResult } = call.config;
    if (isJsonObject(prevResult)) return prevResult;
    const interfaces = [{ name: "lo", mac: "00:00:00:00:00:00", sandbox: call.env.CNI_NETNS }];
    const ips = ["127.0.0.1/8", "::1/128"].map((address) => ({ address, interface: 0 }));
    return { cniVersion: "1.1.0", interfaces, ips };
  },
  check(machine, call) {
    if (!open(machine, call).isUp) throw new PluginError("loopback interface is down");
  },
  *del(machine, call) {
    const namespace = namespaceIn(machine, call);
    if (namespace) namespace.isUp = false;
    yield "down";
  },
};

/** The plugins that make no interface. */
export const chained: Readonly<Record<string, Plugin>> = {
  portmap,
  firewall,
  tuning,
  bandwidth,
  sbr,
  loopback,
};
