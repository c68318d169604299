import { profiles } from "../../plugins/index.ts";
import { profileOf } from "../../shared/plugin/profile.ts";
import type { HostDevice } from "../../shared/plugin/reported.ts";
import type { JsonObject } from "../../shared/protocol/json.ts";
import {
  type CniResult,
  type Interface,
  type IpConfig,
  isContainerInterface,
  type Route,
} from "../../shared/protocol/result.ts";
import { isUnchainedVersion } from "../../shared/protocol/versions.ts";
import { type Address, addressOf, addressText } from "../lists/addresses.ts";
import { entriesOf, ipamTypeOf, rangeSetsOf, type WrittenRange } from "../lists/ipam.ts";
import { filledRange } from "../lists/leases.ts";
import { deviceName, reportedBy } from "../lists/reported.ts";
import { type Call, familyIn } from "../live/libcni.ts";
import type { Source } from "./explain.ts";

/**
 * Returns a function that answers as the plugins do on a host without faults, with invented names, MACs and addresses. It
 * remembers what it has given.
 */
export function exampleAnswers(): Source["answer"] {
  const taken = new Set<string>();
  let devices = 0;
  const invent = (device: HostDevice, configuration: JsonObject): Interface => {
    const name = deviceName(device, configuration);
    if (name !== undefined) return { name, mac: macFor(name) };
    devices++;
    const invented = `${"prefix" in device ? device.prefix : ""}${String(devices).padStart(8, "0")}`;
    return { name: invented, mac: macFor(invented) };
  };
  return ({ wrapper }, type, call) => {
    if (call.environment.CNI_COMMAND !== "ADD") return { exitCode: 0 };
    if (type === "loopback") return { exitCode: 0, output: loopback(call) };
    const role = profileOf(type, profiles)?.role ?? wrapper.role ?? (call.stdin.prevResult ? "meta" : "creator");
    if (role === "meta") return { exitCode: 0, output: metaAnswer(type, call, invent) };
    const leased = leaseExample(call, taken);
    return { exitCode: 0, output: creatorAnswer(type, call, leased, invent), chosenBy: leased.chosenBy };
  };
}

/** A MAC for documentation (RFC 7042), always the same for a name. */
function macFor(name: string): string {
  const sum = [...name].reduce((hash, letter) => (hash * 31 + (letter.codePointAt(0) ?? 0)) % 256, 7);
  return `00:00:5e:00:53:${sum.toString(16).padStart(2, "0")}`;
}

type Invent = (device: HostDevice, configuration: JsonObject) => Interface;

function creatorAnswer(type: string, { environment, stdin }: Call, leased: Leased, invent: Invent): JsonObject {
  const { CNI_IFNAME: name = "", CNI_NETNS: sandbox } = environment;
  const { hostSide = [], defaultRoute } = reportedBy(type);
  const cniVersion = String(stdin.cniVersion ?? "0.1.0");
  const gateway = leased.ips.find((ip) => ip.gateway !== undefined)?.gateway;
  const isDefault = defaultRoute !== undefined && stdin[defaultRoute] === true && gateway !== undefined;
  const routes = [...leased.routes, ...(isDefault ? [{ dst: "0.0.0.0/0", gw: String(gateway) }] : [])];
  const dns = stdin.dns === undefined ? {} : { dns: stdin.dns };
  if (isUnchainedVersion(cniVersion)) return { cniVersion, ...oldAddresses(leased.ips, routes), ...dns };
  const devices = hostSide.map((device) => invent(device, stdin));
  const interfaces = [...devices, { name, mac: macFor(`${name} inside`), sandbox }];
  const ips = leased.ips.map((ip) => ({ ...familyIn(cniVersion, ip.address), ...ip, interface: devices.length }));
  return {
    cniVersion,
    interfaces,
    ...(ips.length > 0 && { ips }),
    ...(routes.length > 0 && { routes }),
    ...dns,
  };
}

/** The addresses of a result of version 0.1.0 or 0.2.0. */
function oldAddresses(ips: readonly IpConfig[], routes: readonly JsonObject[]): JsonObject {
  const entries = ips.map(({ address, gateway }) => {
    const key = address.includes(":") ? "ip6" : "ip4";
    return [key, { ip: address, ...(gateway !== undefined && { gateway }), ...(key === "ip4" && { routes }) }];
  });
  return Object.fromEntries(entries);
}

function metaAnswer(type: string, { environment, stdin }: Call, invent: Invent): JsonObject {
  const prevResult = (stdin.prevResult ?? { cniVersion: stdin.cniVersion }) as CniResult;
  const { adds, setsMac } = reportedBy(type);
  const { CNI_IFNAME: name } = environment;
  const mac = setsMac === undefined ? undefined : stdin[setsMac];
  const isOwn = (one: Interface): boolean => one.name === name && isContainerInterface(one);
  const kept = (prevResult.interfaces ?? []).map((one) => (isOwn(one) && mac !== undefined ? { ...one, mac } : one));
  const added = adds && stdin[adds.key] ? [invent(adds.device, stdin)] : [];
  return prevResult.interfaces ? { ...prevResult, interfaces: [...kept, ...added] } : prevResult;
}

/** The answer of the reference plugin loopback, which no wrapper runs (plugins/main/loopback/loopback.go). */
function loopback({ environment, stdin }: Call): JsonObject {
  if (stdin.prevResult) return stdin.prevResult as JsonObject;
  const cniVersion = String(stdin.cniVersion ?? "0.1.0");
  const ips = [{ address: "127.0.0.1/8" }, { address: "::1/128" }];
  if (isUnchainedVersion(cniVersion)) return { cniVersion, ...oldAddresses(ips, []) };
  return {
    cniVersion,
    interfaces: [{ name: "lo", mac: "00:00:00:00:00:00", sandbox: environment.CNI_NETNS }],
    ips: ips.map((ip) => ({ ...familyIn(cniVersion, ip.address), ...ip, interface: 0 })),
  };
}

/** The answer of an IPAM plugin. */
interface Leased {
  readonly ips: readonly IpConfig[];
  readonly routes: readonly Route[];
  /** Who really chooses the addresses, if they are not from the configuration. */
  readonly chosenBy?: string;
}

/** An address for documentation (RFC 5737): a server outside the host chooses the real one. */
const documentation: IpConfig = { address: "192.0.2.10/24", gateway: "192.0.2.1" };

/** Returns the addresses that an IPAM plugin would give on an unused host. `taken` has those of earlier plugins. */
function leaseExample({ environment, stdin }: Call, taken: Set<string>): Leased {
  const plugin = { configuration: stdin, path: [] };
  const entries = (key: string) => entriesOf(plugin, key).map(({ entry }) => entry);
  const routes = entries("routes") as unknown as Route[];
  const asked = addressOf(/(?:^|;)IP=([^;/]+)/.exec(environment.CNI_ARGS ?? "")?.[1]);
  const type = ipamTypeOf(stdin);
  switch (type) {
    case undefined:
      return { ips: [], routes: [] };
    case "host-local":
      return { ips: rangeSetsOf(plugin).flatMap((set) => hostLocal(set, `${stdin.name}`, taken, asked) ?? []), routes };
    case "static":
      return { ips: entries("addresses").map(staticAddress), routes };
    case "dhcp":
      return { ips: [documentation], routes: [{ dst: "0.0.0.0/0", gw: "192.0.2.1" }], chosenBy: "DHCP" };
    default:
      return { ips: [documentation], routes, chosenBy: type };
  }
}

/** host-local gives one address from each set of ranges. */
function hostLocal(
  set: readonly WrittenRange[],
  network: string,
  taken: Set<string>,
  asked: Address | undefined,
): IpConfig | undefined {
  for (const { range } of set) {
    const pool = filledRange(range);
    if (!pool) continue;
    const { bits, first, last, gateway } = pool;
    const isAsked = asked?.bits === bits && asked.value >= first && asked.value <= last;
    const nameOf = (number: bigint) => `${network} ${addressText({ bits, value: number })}`;
    let value = isAsked ? asked.value : first;
    while (value === gateway || taken.has(nameOf(value))) value++;
    if (value > last) continue;
    taken.add(nameOf(value));
    const router = typeof range.gateway === "string" ? range.gateway : addressText({ bits, value: gateway });
    return { address: `${addressText({ bits, value })}/${String(range.subnet).split("/")[1]}`, gateway: router };
  }
  return undefined;
}

function staticAddress({ address, gateway }: JsonObject): IpConfig {
  return { address: String(address), ...(gateway !== undefined && { gateway }) };
}
