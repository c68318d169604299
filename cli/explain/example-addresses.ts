import { parseIp, subnetContains } from "../../shared/attachment/subnet.ts";
import { isJsonObject, type JsonObject } from "../../shared/protocol/json.ts";
import type { IpConfig, Route } from "../../shared/protocol/result.ts";
import type { Call } from "../live/libcni.ts";

/** The answer of an IPAM plugin. */
export interface Leased {
  readonly ips: readonly IpConfig[];
  readonly routes: readonly Route[];
  /** Who really chooses the addresses, if they are not from the configuration. */
  readonly chosenBy?: string;
}

/** An address for documentation (RFC 5737): a server outside the host chooses the real one. */
const documentation: IpConfig = { address: "192.0.2.10/24", gateway: "192.0.2.1" };

/** Returns the addresses that an IPAM plugin would give on an unused host. `taken` has those of earlier plugins. */
export function leaseExample({ environment, stdin }: Call, taken: Set<string>): Leased {
  const ipam = isJsonObject(stdin.ipam) ? stdin.ipam : {};
  const routes = (Array.isArray(ipam.routes) ? ipam.routes : []) as Route[];
  const asked = /(?:^|;)IP=([^;/]+)/.exec(environment.CNI_ARGS ?? "")?.[1];
  switch (ipam.type) {
    case undefined:
      return { ips: [], routes: [] };
    case "host-local":
      return { ips: rangeSets(ipam).flatMap((set) => hostLocal(set, `${stdin.name}`, taken, asked) ?? []), routes };
    case "static":
      return { ips: objects(ipam.addresses).map(staticAddress), routes };
    case "dhcp":
      return { ips: [documentation], routes: [{ dst: "0.0.0.0/0", gw: "192.0.2.1" }], chosenBy: "DHCP" };
    default:
      return { ips: [documentation], routes, chosenBy: String(ipam.type) };
  }
}

/** host-local gives one address from each set of ranges. `subnet` without a set is the first set. */
function rangeSets(ipam: JsonObject): JsonObject[][] {
  const sets = Array.isArray(ipam.ranges) ? ipam.ranges.map(objects) : [];
  return ipam.subnet === undefined ? sets : [[ipam], ...sets];
}

function hostLocal(set: JsonObject[], network: string, taken: Set<string>, asked?: string): IpConfig | undefined {
  for (const { subnet, rangeStart, gateway } of set) {
    const [base = "", length = ""] = String(subnet).split("/");
    const first = next(base);
    if (first === undefined) continue;
    const router = typeof gateway === "string" ? gateway : first;
    const isFree = (address: string): boolean => address !== router && !taken.has(`${network} ${address}`);
    const start = asked !== undefined && subnetContains(String(subnet), asked) ? asked : String(rangeStart ?? first);
    let address: string | undefined = start;
    while (address !== undefined && !isFree(address)) address = next(address);
    if (address === undefined || !subnetContains(String(subnet), address)) continue;
    taken.add(`${network} ${address}`);
    return { address: `${address}/${length}`, gateway: router };
  }
  return undefined;
}

function staticAddress({ address, gateway }: JsonObject): IpConfig {
  return { address: String(address), ...(gateway !== undefined && { gateway }) };
}

/** Returns the address after this one; undefined if this is none. */
function next(address: string): string | undefined {
  const ip = parseIp(address);
  if (ip === undefined) return undefined;
  if (ip.bits === 32) return [24, 16, 8, 0].map((shift) => ((ip.value + 1) >>> shift) & 0xff).join(".");
  const digits = (ip.value + 1n).toString(16).padStart(32, "0");
  // The shortest spelling, as Go prints it (RFC 5952).
  return new URL(`http://[${digits.match(/.{4}/g)?.join(":")}]`).hostname.slice(1, -1);
}

function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
