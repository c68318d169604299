/** An IP address. IPv4 is a number, because an interpreter takes several times as long for big integers. */
type Ip = { readonly bits: 32; readonly value: number } | { readonly bits: 128; readonly value: bigint };

/**
 * Returns a function that tells whether an address (`172.16.5.1`, `fd00::1`) is in the subnet of one of the CIDRs
 * (`172.16.5.2/24`). They are asked for and parsed once, for the first address: most calls have none. Comparing each of n routes
 * with each of n addresses would take most of a call.
 */
export function subnetFinder(cidrs: () => readonly string[]): (address: string) => boolean {
  let all: ReturnType<typeof subnetsOf> | undefined;
  return (address) => {
    const ip = parseIp(address);
    if (ip === undefined) return false;
    all ??= subnetsOf(cidrs());
    const { lengths, names } = all;
    for (const length of lengths) if (names.has(subnetName(ip, length))) return true;
    return false;
  };
}

/** Returns all prefix lengths, and the names of all subnets. */
function subnetsOf(cidrs: readonly string[]): { lengths: Set<number>; names: Set<string> } {
  const lengths = new Set<number>();
  const names = new Set<string>();
  for (const cidr of cidrs) {
    const parsed = parseCidr(cidr);
    if (parsed === undefined) continue;
    lengths.add(parsed.length);
    names.add(subnetName(parsed.ip, parsed.length));
  }
  return { lengths, names };
}

/** Parses an address with a prefix length, as Go's net.ParseCIDR does; undefined if the text is none. */
export function parseCidr(text: string): { ip: Ip; length: number } | undefined {
  const slash = text.indexOf("/");
  const digits = text.slice(slash + 1);
  const ip = /^\d{1,3}$/.test(digits) ? parseIp(text.slice(0, slash)) : undefined;
  return ip === undefined || Number(digits) > ip.bits ? undefined : { ip, length: Number(digits) };
}

function subnetName(ip: Ip, length: number): string {
  const network = ip.bits === 32 ? Math.floor(ip.value / 2 ** (32 - length)) : ip.value >> BigInt(128 - length);
  return `${ip.bits} ${length} ${network}`;
}

/** Parses an IP address; undefined if the text is none. */
export function parseIp(text: string): Ip | undefined {
  if (!text.includes(":")) return parseIpv4(text);
  const [, head, last = ""] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text) ?? [];
  const tail = parseIpv4(last);
  return parseIpv6(tail ? `${head}${(tail.value >>> 16).toString(16)}:${(tail.value & 0xffff).toString(16)}` : text);
}

function parseIpv4(text: string): (Ip & { readonly bits: 32 }) | undefined {
  const octets = text.split(".", 5);
  if (octets.length !== 4) return undefined;
  let value = 0;
  for (const octet of octets) {
    const number = Number(octet);
    // Go refuses 010, which some read as 8.
    if (!(number >= 0 && number <= 255) || String(number) !== octet) return undefined;
    value = value * 256 + number;
  }
  return { bits: 32, value };
}

function parseIpv6(text: string): Ip | undefined {
  const [head = "", tail, more] = text.split("::");
  if (more !== undefined) return undefined;
  const [left, right] = [groups(head), groups(tail ?? "")];
  const missing = 8 - left.length - right.length;
  // Go refuses a :: that stands for no group.
  if (tail !== undefined && missing < 1) return undefined;
  const all = [...left, ...Array<number>(tail === undefined ? 0 : missing).fill(0), ...right];
  if (all.length !== 8 || all.some(Number.isNaN)) return undefined;
  return fromMapped(all.reduce((value, group) => value * 0x10000n + BigInt(group), 0n));
}

function groups(text: string): number[] {
  if (text === "") return [];
  return text.split(":").map((group) => (/^[\da-f]{1,4}$/i.test(group) ? Number(`0x${group}`) : Number.NaN));
}

// Go's net.IP treats ::ffff:a.b.c.d as the IPv4 address.
function fromMapped(value: bigint): Ip {
  return value >> 32n === 0xffffn ? { bits: 32, value: Number(value & 0xffffffffn) } : { bits: 128, value };
}

/** Returns one name for all spellings of the address in a CIDR (`172.16.5.2/24`, `fd00::0:2`); undefined if it is invalid. */
export function ipName(cidr: string): string | undefined {
  const ip = parseIp(addressIn(cidr));
  return ip && `${ip.bits} ${ip.value}`;
}

/** Returns one name for all spellings of the subnet of a CIDR; the text itself if it is none. */
export function prefixName(cidr: string): string {
  const parsed = parseCidr(cidr);
  return parsed ? subnetName(parsed.ip, parsed.length) : cidr;
}

/** Returns the address in a CIDR; the text itself if there is no prefix length. */
export function addressIn(cidr: string): string {
  return cidr.split("/")[0] as string;
}

const isInLinkLocal = subnetFinder(() => ["fe80::/10"]);

/** Whether the address in a CIDR is link-local IPv6 (fe80::/10), which is valid on one interface only. */
export function isLinkLocal(cidr: string): boolean {
  return isInLinkLocal(addressIn(cidr));
}

/** Whether two CIDRs (`172.16.5.2/24`, `172.16.5.0/24`) have the same subnet. */
export function samePrefix(one: string, other: string): boolean {
  return prefixName(one) === prefixName(other);
}
