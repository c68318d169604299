import { leaseDirectory } from "../../shared/journal/host-files.ts";
import { isJsonObject, type JsonObject, objectOf, objectsOf } from "../../shared/protocol/json.ts";
import { lastElement } from "../../shared/protocol/names.ts";
import { addressOf, addressText } from "../lists/addresses.ts";
import { decodeProblem, jsonType } from "./decode.ts";
import type { Machine } from "./machine.ts";
import type { Leased } from "./network.ts";
import { namesOf, type PluginCall, PluginError, type Steps, withoutPrefix } from "./plugin.ts";
import { expectRoutes, isInRange, type Range, rangesOf, rangeText } from "./ranges.ts";

/** An IPAM plugin. It has a plugin's verbs, but only addresses. */
export interface Ipam {
  reserve(machine: Machine, call: PluginCall): Steps<Leased>;
  check(machine: Machine, call: PluginCall): void;
  release(machine: Machine, call: PluginCall): void;
}

/** Returns the IPAM plugin of a configuration. */
export function ipamOf(config: JsonObject): Ipam {
  const { type = "" } = ipamBlock(config);
  const ipam = ipams[String(type)];
  if (ipam) return ipam;
  throw new PluginError(
    type === "" ? "no plugin name provided" : `failed to find plugin "${type}" in path [/opt/cni/bin]`,
  );
}

/** Whether a configuration names an IPAM plugin. */
export function hasIpam(config: JsonObject): boolean {
  return (ipamBlock(config).type ?? "") !== "";
}

/** The simulation adds one of its own. */
export const ipams: Record<string, Ipam> = {
  "host-local": {
    *reserve(machine, call) {
      const sets = rangesOf(call.config);
      const asked = askedFor(call).map((text) => withoutPrefix(text));
      const own = ownLeases(machine, call).map(lastElement);
      const ips = [];
      try {
        for (const [index, set] of sets.entries()) {
          const place = asked.findIndex((one) => set.some((range) => isInRange(range, addressOf(one))));
          const [wanted] = place < 0 ? [] : asked.splice(place, 1);
          ips.push(get(machine, call, { set, index, wanted, own }));
          yield "reserved";
        }
        if (asked.length > 0) throw new PluginError(`failed to allocate all requested IPs: ${asked.join(" ")}`);
      } catch (error) {
        // It releases what the sets before gave.
        if (ips.length > 0 && error instanceof PluginError) ipams["host-local"]?.release(machine, call);
        throw error;
      }
      return { ips, routes: routesOf(call.config) };
    },
    check(machine, call) {
      rangesOf(call.config);
      if (ownLeases(machine, call).length > 0) return;
      throw new PluginError(`host-local: Failed to find address added by container ${namesOf(call).containerId}`);
    },
    release(machine, call) {
      rangesOf(call.config);
      for (const file of ownLeases(machine, call)) machine.files.delete(file);
    },
  },
  static: {
    *reserve(_, call) {
      const { addresses, routes } = ipamBlock(call.config);
      const other = Array.isArray(addresses) ? addresses.find((one) => !isJsonObject(one)) : undefined;
      if (other) throw new PluginError(decodeProblem([jsonType(other), "main.Address"], "IPAMConfig.ipam.addresses"));
      expectRoutes(routes);
      const asked = askedFor(call).map((address): JsonObject => ({ address }));
      const listed = asked.length > 0 ? asked : objectsOf(addresses);
      const ips = listed.map(({ address, gateway }) => {
        if (!/\/\d+$/.test(String(address))) {
          throw new PluginError(`the 'address' field is expected to be in CIDR notation, got: '${address}'`);
        }
        return { address: String(address), ...(Boolean(gateway) && { gateway: String(gateway) }) };
      });
      return { ips, routes: routesOf(call.config) };
    },
    check(_, { config }) {
      if (!isJsonObject(config.prevResult)) throw new PluginError("Required prevResult missing");
    },
    release() {},
  },
};

/** The set of ranges that an address is taken from, its number, the address that was asked for, and those that are leased. */
interface Wanted {
  readonly set: readonly Range[];
  readonly index: number;
  readonly wanted: string | undefined;
  readonly own: readonly string[];
}

/** Reserves an address of a set (plugins/ipam/host-local/backend/allocator/allocator.go, Get). */
function get(machine: Machine, call: PluginCall, { set, index, wanted, own }: Wanted) {
  const { containerId, ifName } = namesOf(call);
  const fail = (reason: string): never => {
    throw new PluginError(`failed to allocate for range ${index}: ${reason}`);
  };
  // An address that is asked for may be a second one: only the others are refused.
  const held = own.find((address) => set.some((range) => isInRange(range, addressOf(address))));
  if (wanted === undefined && held) {
    fail(`${held} has been allocated to ${containerId}, duplicate allocation is not allowed`);
  }
  const directory = directoryOf(call);
  const pools = machine.isOnePool ? machine.list(leaseDirectory).map((name) => `${leaseDirectory}/${name}`) : [];
  const isFree = (address: string) => [directory, ...pools].every((one) => !machine.files.has(`${one}/${address}`));
  const last = machine.files.get(`${directory}/last_reserved_ip.${index}`)?.text;
  const texts = set.map(rangeText).join(",");
  const range = set.find((one) => wanted && isInRange(one, addressOf(wanted)));
  if (range && addressOf(wanted)?.value === range.gateway) fail(`requested ip ${wanted} is subnet's gateway`);
  if (wanted && !isFree(wanted)) fail(`requested IP address ${wanted} is not available in range set ${texts}`);
  const found = range ? { address: String(wanted), range } : nextFree(set, last, isFree);
  if (!found) return fail(`no IP addresses available in range set: ${texts}`);
  machine.writeFile(`${directory}/${found.address}`, `${containerId}\r\n${ifName}`);
  machine.writeFile(`${directory}/last_reserved_ip.${index}`, found.address, true);
  const gateway = addressText({ bits: found.range.bits, value: found.range.gateway });
  return { address: `${found.address}/${found.range.length}`, gateway };
}

/** Returns the next free address after the last one, as host-local goes round all ranges of a set. */
export function nextFree(set: readonly Range[], last: string | undefined, isFree: (address: string) => boolean) {
  const before = addressOf(last);
  const place = set.findIndex((range) => isInRange(range, before));
  const start = Math.max(place, 0);
  for (let turn = 0; turn <= set.length; turn++) {
    const range = set[(start + turn) % set.length] as Range;
    const isFirst = turn === 0 && before !== undefined && isInRange(range, before);
    for (let value = isFirst ? before.value + 1n : range.first; value <= range.last; value++) {
      const address = addressText({ bits: range.bits, value });
      if (value !== range.gateway && isFree(address)) return { address, range };
    }
  }
  return undefined;
}

function directoryOf({ config }: PluginCall): string {
  const { dataDir } = ipamBlock(config);
  return `${typeof dataDir === "string" && dataDir !== "" ? dataDir.replace(/\/$/, "") : leaseDirectory}/${config.name}`;
}

function ownLeases({ files }: Machine, call: PluginCall): string[] {
  const { containerId, ifName } = namesOf(call);
  const [owner, directory] = [`${containerId}\r\n${ifName}`, `${directoryOf(call)}/`];
  return [...files].flatMap(([path, { text }]) => (text === owner && path.startsWith(directory) ? [path] : []));
}

function ipamBlock({ ipam }: JsonObject): JsonObject {
  return objectOf(ipam);
}

function routesOf(config: JsonObject): JsonObject[] {
  return objectsOf(ipamBlock(config).routes);
}

/** The addresses that CNI_ARGS, `args` and the runtime ask for. */
function askedFor({ env, config: { args, runtimeConfig } }: PluginCall): string[] {
  const [, inArgs] = /(?:^|;)IP=([^;]+)/.exec(env.CNI_ARGS ?? "") ?? [];
  const cni = isJsonObject(args) ? args.cni : undefined;
  const lists = [cni, runtimeConfig].map((one) => (isJsonObject(one) && Array.isArray(one.ips) ? one.ips : []));
  return [...(inArgs ? inArgs.split(",") : []), ...lists.flat().map(String)];
}
