import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import type { Machine } from "./machine.ts";
import {
  type Effect,
  namesOf,
  open,
  type Plugin,
  type PluginCall,
  PluginError,
  passedOn,
  resultOf,
  withoutPrefix,
} from "./plugin.ts";

/** A published port of the host, and where it leads. */
interface Mapping {
  readonly hostPort: number;
  readonly containerPort: number;
}

function mappingsOf({ runtimeConfig }: JsonObject): Mapping[] {
  const mappings = isJsonObject(runtimeConfig) ? runtimeConfig.portMappings : undefined;
  return Array.isArray(mappings) ? mappings : [];
}

const nftChain = "nft hostports";
const summary = "CNI-HOSTPORT-DNAT";
const isNft = (config: JsonObject) => config.backend === "nftables";
/** The iptables chain's name has the network and the container, and no interface (portmap_iptables.go, genDnatChain). */
const chainOf = (call: PluginCall) => `CNI-DN-${namesOf(call).network}${namesOf(call).containerId}`;
const dnat = ({ hostPort, containerPort }: Mapping, ip: string) => `--dport ${hostPort} DNAT ${ip}:${containerPort}`;
const entry = ({ hostPort }: Mapping, chain: string) => `--dport ${hostPort} -j ${chain}`;

/** portmap: forwards ports to the first address of its interface (plugins/meta/portmap). */
const portmap: Plugin = {
  *add(machine, call) {
    const ip = ownAddress(call);
    for (const mapping of ip ? mappingsOf(call.config) : []) {
      const chain = isNft(call.config) ? nftChain : chainOf(call);
      if (isNft(call.config)) machine.append(chain, dnat(mapping, String(ip)), namesOf(call).containerId);
      else {
        machine.chains.add(chain);
        machine.appendUnique(chain, dnat(mapping, String(ip)));
        machine.appendUnique(summary, entry(mapping, chain));
      }
      yield "port published";
    }
    return passedOn(call.config);
  },
  check(machine, call) {
    const ip = ownAddress(call);
    const mappings = mappingsOf(call.config);
    const has = (chain: string, text: string) =>
      machine.rules.some((rule) => rule.chain === chain && rule.text === text);
    // It counts the rules with the container's comment, whatever their port (checkPortsAgainstRules).
    if (isNft(call.config) && ip && nftRules(machine, call).length < mappings.length)
      throw new PluginError("missing rules");
    if (isNft(call.config) || !ip) return;
    const chain = chainOf(call);
    if (!mappings.every((one) => has(chain, dnat(one, ip)) && has(summary, entry(one, chain)))) {
      throw new PluginError(`a rule is missing in chain ${chain}`);
    }
  },
  *del(machine, call) {
    if (mappingsOf(call.config).length === 0) return;
    if (isNft(call.config)) {
      const rules = nftRules(machine, call);
      machine.removeRules((rule) => rules.includes(rule));
    } else {
      const chain = chainOf(call);
      machine.removeRules((rule) => rule.chain === summary && rule.text.endsWith(` -j ${chain}`));
      machine.deleteChain(chain);
    }
    yield "ports removed";
  },
  effects: (machine, { config, addresses: [address = ""] }) =>
    mappingsOf(config).map((mapping) => {
      const leads = `${withoutPrefix(address)}:${mapping.containerPort}`;
      const holds = () => destinationOf(machine, mapping.hostPort) === leads;
      const what = `port ${mapping.hostPort} to ${leads}`;
      return isNft(config) ? { what, holds } : { what, holds, lose: () => dropRules(machine, `${leads}`) };
    }),
};

function nftRules(machine: Machine, call: PluginCall) {
  return machine.rules.filter(({ chain, comment }) => chain === nftChain && comment === namesOf(call).containerId);
}

/** Returns where a port of the host leads. The first rule decides. */
function destinationOf({ rules }: Machine, hostPort: number): string | undefined {
  const port = `--dport ${hostPort} `;
  const jump = rules.find(({ chain, text }) => chain === "CNI-HOSTPORT-DNAT" && text.startsWith(port));
  const chain = jump?.text.replace(/.* -j /, "") ?? "nft hostports";
  const rule = rules.find((one) => one.chain === chain && one.text.startsWith(`${port}DNAT `));
  return rule?.text.slice(`${port}DNAT `.length);
}

function ownAddress({ env, config }: PluginCall): string | undefined {
  const { interfaces, ips } = resultOf(config);
  const isOwn = ({ interface: index }: JsonObject) =>
    typeof index !== "number" || interfaces[index]?.name === env.CNI_IFNAME;
  const ip = ips.find(isOwn);
  return ip && withoutPrefix(String(ip.address));
}

/** Removes the rules whose text ends so. Returns how to give them back. */
function dropRules(machine: Machine, end: string): () => void {
  const { rules } = machine;
  machine.removeRules(({ text }) => text.endsWith(end));
  return () => {
    machine.rules = rules;
  };
}

/** firewall: rules that name nothing but an address (plugins/meta/firewall/iptables.go). */
function firewall(): Plugin {
  const chain = "CNI-FORWARD";
  const textOf = (address: string) => `ACCEPT ${withoutPrefix(address)}`;
  const texts = ({ config }: PluginCall) => resultOf(config).ips.map(({ address }) => textOf(String(address)));
  const has = (machine: Machine, text: string) =>
    machine.rules.some((rule) => rule.chain === chain && rule.text === text);
  return {
    *add(machine, call) {
      for (const text of texts(call)) {
        machine.appendUnique(chain, text);
        yield "address let through";
      }
      return passedOn(call.config);
    },
    check(machine, call) {
      if (!texts(call).every((text) => has(machine, text))) throw new PluginError("expected rule is missing");
    },
    *del(machine, call) {
      for (const text of texts(call)) {
        machine.removeRules((rule) => rule.chain === chain && rule.text === text);
        yield "rule removed";
      }
    },
    effects: (machine, { addresses }) =>
      addresses.map((address) => ({
        what: `${address} passes the firewall`,
        holds: () => has(machine, textOf(address)),
        lose: () => dropRules(machine, textOf(address)),
      })),
  };
}

/** tuning: keeps what it changes in one file for the container and the interface (plugins/meta/tuning/tuning.go). */
function tuning(): Plugin {
  const fileOf = ({ env }: PluginCall) => `/run/cni/tuning/${env.CNI_CONTAINERID}_${env.CNI_IFNAME}.json`;
  const wantedOf = ({ mtu, promisc }: JsonObject) => {
    const wanted = { ...(mtu !== undefined && { mtu: Number(mtu) }), ...(promisc !== undefined && { promisc: 1 }) };
    return Object.entries<number>(wanted);
  };
  return {
    *add(machine, call) {
      const result = passedOn(call.config);
      const link = open(machine, call).links.get(String(call.env.CNI_IFNAME));
      if (!link) throw new PluginError(`failed to get "${call.env.CNI_IFNAME}"`);
      const wanted = wantedOf(call.config);
      const former = wanted.map(([name]) => [name, link.attributes.get(name) ?? 0]);
      // DEL leaves the file if the link or the namespace is gone.
      if (wanted.length > 0) machine.writeFile(fileOf(call), JSON.stringify(former), true);
      yield "backup written";
      for (const [name, value] of wanted) link.attributes.set(name, value);
      yield "attributes set";
      return result;
    },
    check(machine, call) {
      const link = machine.namespaces.get(call.env.CNI_NETNS ?? "")?.links.get(String(call.env.CNI_IFNAME));
      const isSet = ([name, value]: [string, number]) => link?.attributes.get(name) === value;
      if (!link || !wantedOf(call.config).every(isSet)) throw new PluginError("Error: Tuning configured value differs");
    },
    *del(machine, call) {
      const link = machine.namespaces.get(call.env.CNI_NETNS ?? "")?.links.get(String(call.env.CNI_IFNAME));
      const backup = machine.files.get(fileOf(call))?.text;
      if (!link || backup === undefined) return;
      for (const [name, value] of JSON.parse(backup)) link.attributes.set(name, value);
      yield "attributes restored";
      machine.files.delete(fileOf(call));
    },
    effects: (_, { namespace, ifName, config }) => {
      const attributes = namespace.links.get(ifName)?.attributes;
      return wantedOf(config).map(([name, value]) => ({
        what: `${name} ${value} of ${ifName}`,
        holds: () => attributes?.get(name) === value,
        lose: () => {
          attributes?.set(name, 68);
          return () => attributes?.set(name, value);
        },
      }));
    },
  };
}

const deviceOf = (call: PluginCall) => `bwp-${namesOf(call).network}${namesOf(call).containerId}`;
const linkOf = (machine: Machine, call: PluginCall) => {
  const link = open(machine, call).links.get(String(call.env.CNI_IFNAME));
  if (!link?.hostEnd) throw new PluginError(`container interface ${call.env.CNI_IFNAME} has no veth peer`);
  return link;
};

/** bandwidth: a device for the network and the container, which shapes what the link's other end gets (plugins/meta/bandwidth). */
const bandwidth: Plugin = {
  *add(machine, call) {
    const { ...result } = passedOn(call.config);
    const link = linkOf(machine, call);
    if (!resultOf(call.config).interfaces.some(({ name }) => name === link.hostEnd)) {
      throw new PluginError("no veth peer of container interface found in host ns");
    }
    if (link.shaper) throw new PluginError("create qdisc: file exists");
    const name = deviceOf(call);
    if (machine.devices.has(name)) throw new PluginError("adding link: file exists");
    const device = machine.addDevice(name);
    yield "device made";
    link.shaper = device;
    yield "traffic shaped";
    result.interfaces = [...resultOf(call.config).interfaces, { name }];
    return result;
  },
  check(machine, call) {
    linkOf(machine, call);
    if (!machine.devices.has(deviceOf(call))) throw new PluginError("get ifb device: Link is missing");
  },
  *del(machine, call) {
    machine.devices.delete(deviceOf(call));
    yield "device deleted";
  },
  effects: ({ devices }, { namespace, ifName }): Effect[] => {
    const link = namespace.links.get(ifName);
    const isThere = () => [...devices.values()].some((device) => device === link?.shaper);
    return [{ what: `limits of ${ifName}`, holds: isThere }];
  },
};

/** sbr: a table for each address of its interface. DEL asks the interface for them, and fails without a namespace (plugins/meta/sbr). */
function sbr(): Plugin {
  const isOwn =
    ({ interfaces }: ReturnType<typeof resultOf>, ifName: string | undefined) =>
    (ip: JsonObject) =>
      typeof ip.interface !== "number" || interfaces[ip.interface]?.name === ifName;
  return {
    *add(machine, call) {
      const { sources, links } = open(machine, call);
      if (!links.has(String(call.env.CNI_IFNAME))) throw new PluginError("cannot find network interface");
      const result = resultOf(call.config);
      for (const { address } of result.ips.filter(isOwn(result, call.env.CNI_IFNAME))) {
        sources.set(String(address), machine.makers());
        yield "rule added";
      }
      return passedOn(call.config);
    },
    check() {},
    *del(machine, call) {
      const namespace = machine.namespaces.get(call.env.CNI_NETNS ?? "");
      if (!namespace) throw new PluginError("no such file or directory");
      for (const address of namespace.links.get(String(call.env.CNI_IFNAME))?.addresses ?? []) {
        namespace.sources.delete(address);
        yield "rule deleted";
      }
    },
    effects: (_, { namespace: { sources }, addresses }) =>
      addresses.map((address) => ({ what: `table for ${address}`, holds: () => sources.has(address) })),
  };
}

/** The plugins that make no interface. */
export const chained: Readonly<Record<string, Plugin>> = {
  portmap,
  firewall: firewall(),
  tuning: tuning(),
  bandwidth,
  sbr: sbr(),
};
