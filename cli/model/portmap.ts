import { backendOptions } from "../../plugins/portmap/keys.ts";
import { addressIn } from "../../shared/attachment/subnet.ts";
import { type JsonObject, objectOf } from "../../shared/protocol/json.ts";
import type { Machine } from "./machine.ts";
import { isIpv6 } from "./network.ts";
import { namesOf, type Plugin, type PluginCall, PluginError, passedOn, resultOf } from "./plugin.ts";

/** A published port of the host, and where it leads. */
interface Mapping {
  readonly hostPort: number;
  readonly containerPort: number;
  readonly protocol?: string;
}

function mappingsOf({ runtimeConfig }: JsonObject): Mapping[] {
  const mappings = objectOf(runtimeConfig).portMappings;
  return Array.isArray(mappings) ? mappings : [];
}

const nftChain = "nft hostports";
const summary = "CNI-HOSTPORT-DNAT";
const isNft = (config: JsonObject) => config.backend === "nftables";
// A digest of the network and the container, whatever the interface (pkg/utils).
const chainOf = ({ env, config }: PluginCall) => `CNI-DN-${config.name}${env.CNI_CONTAINERID}`;
const dnat = ({ hostPort, containerPort, protocol = "tcp" }: Mapping, ip: string) =>
  `-p ${protocol} --dport ${hostPort} DNAT ${isIpv6(ip) ? `[${ip}]` : ip}:${containerPort}`;
const entry = ({ hostPort, protocol = "tcp" }: Mapping, chain: string) =>
  `-p ${protocol} --dport ${hostPort} -j ${chain}`;

/** What makes it refuse a configuration (main.go, parseConfig). */
function problemOf(config: JsonObject): string | undefined {
  const { markMasqBit, externalSetMarkChain, backend = "iptables" } = config;
  if (markMasqBit !== undefined && externalSetMarkChain !== undefined) {
    return "Cannot specify externalSetMarkChain and markMasqBit";
  }
  if (Number(markMasqBit) < 0 || Number(markMasqBit) > 31) return "MasqMarkBit must be between 0 and 31";
  const other = backend === "iptables" ? "nftables" : "iptables";
  const foreign = backendOptions(config).filter((option) => option.backend === other);
  const names = foreign.map(({ key }) => key).join(" ");
  if (names !== "")
    return `${backend} backend was requested but configuration contains ${other}-specific options [${names}]`;
  return backend === "iptables" || backend === "nftables" ? undefined : `unrecognized backend "${backend}"`;
}

function parse({ env, config }: PluginCall): void {
  const problem = problemOf(config);
  if (problem) throw new PluginError(env.CNI_COMMAND === "CHECK" ? problem : `failed to parse config: ${problem}`);
}

/** portmap: forwards ports to the first addresses of its interface (plugins/meta/portmap). */
export const portmap: Plugin = {
  *add(machine, call) {
    parse(call);
    const result = passedOn(call.config);
    for (const ip of ownAddresses(call)) {
      for (const mapping of mappingsOf(call.config)) {
        const chain = isNft(call.config) ? nftChain : chainOf(call);
        if (isNft(call.config)) machine.append(chain, dnat(mapping, ip), namesOf(call).containerId);
        else {
          machine.chains.add(chain);
          machine.appendUnique(chain, dnat(mapping, ip));
          machine.appendUnique(summary, entry(mapping, chain));
        }
        yield "port published";
      }
    }
    return result;
  },
  check(machine, call) {
    parse(call);
    passedOn(call.config, "Required prevResult missing");
    const mappings = mappingsOf(call.config);
    for (const ip of mappings.length > 0 ? ownAddresses(call) : []) {
      // It counts the rules with the container's comment, whatever their port (checkPortsAgainstRules).
      if (isNft(call.config)) {
        if (nftRules(machine, call).length < mappings.length)
          throw new PluginError('missing hostport rules in "hostports" chain');
        continue;
      }
      const chain = chainOf(call);
      const fail = (what: string) => {
        throw new PluginError(`could not check ipv${isIpv6(ip) ? 6 : 4} dnat: ${what}`);
      };
      if (!machine.chains.has(chain)) fail(`chain ${chain} not found in iptables table nat`);
      const isThere = (one: Mapping) =>
        machine.hasRule(chain, dnat(one, ip)) && machine.hasRule(summary, entry(one, chain));
      if (!mappings.every(isThere)) fail(`rule in chain ${chain} not found in table nat`);
    }
  },
  *del(machine, call) {
    parse(call);
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
};

function nftRules(machine: Machine, call: PluginCall) {
  return machine.rules.filter(({ chain, comment }) => chain === nftChain && comment === namesOf(call).containerId);
}

/** Returns where a port of the host leads. The first rule decides. */
function destinationOf({ rules }: Machine, hostPort: number): string | undefined {
  const port = `--dport ${hostPort} `;
  const jump = rules.find(({ chain, text }) => chain === summary && text.includes(port));
  const chain = jump?.text.replace(/.* -j /, "") ?? nftChain;
  return rules.find((one) => one.chain === chain && one.text.includes(`${port}DNAT `))?.text.replace(/.* DNAT /, "");
}

/** Returns the published ports of the host, and where each leads. */
export function publishedPorts(machine: Machine): { port: string; to: string }[] {
  const entries = machine.rules.flatMap(({ chain, text }) => {
    const [, protocol, port] = /^-p (\w+) --dport (\d+) /.exec(text) ?? [];
    return port !== undefined && (chain === summary || chain === nftChain) ? [{ protocol, port }] : [];
  });
  return entries.flatMap(({ protocol, port }) => {
    const to = destinationOf(machine, Number(port));
    return to === undefined ? [] : { port: `${port}/${protocol}`, to };
  });
}

/** The first address of each family that may be its interface's. */
function ownAddresses({ env, config }: PluginCall): string[] {
  const { interfaces, ips } = resultOf(config);
  const isOwn = ({ interface: index }: JsonObject) => {
    const known = typeof index === "number" ? interfaces[index] : undefined;
    return !known || (known.name === env.CNI_IFNAME && Boolean(known.sandbox));
  };
  const own = ips.filter(isOwn).map(({ address }) => addressIn(String(address)));
  return [own.find((ip) => !isIpv6(ip)), own.find(isIpv6)].filter((ip) => ip !== undefined);
}
