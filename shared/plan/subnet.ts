interface Ip {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** Whether the address (`172.16.5.1`, `fd00::1`) lies in the subnet that a CIDR (`172.16.5.2/24`) is of. */
export function subnetContains(cidr: string, address: string): boolean {
  const [base = "", length = ""] = cidr.split("/");
  const [subnet, candidate] = [parseIp(base), parseIp(address)];
  if (subnet === undefined || subnet.bits !== candidate?.bits) return false;
  if (!/^\d{1,3}$/.test(length) || Number(length) > subnet.bits) return false;
  const hostBits = BigInt(subnet.bits - Number(length));
  return subnet.value >> hostBits === candidate.value >> hostBits;
}

/** Whether two CIDRs (`172.16.5.2/24`, `172.16.5.0/24`) are of the same subnet. */
export function samePrefix(one: string, other: string): boolean {
  const [, length] = one.split("/");
  const [base = "", otherLength] = other.split("/");
  return length === otherLength && subnetContains(one, base);
}

function parseIp(text: string): Ip | undefined {
  if (!text.includes(":")) return parseIpv4(text);
  const mapped = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const tail = mapped && parseIpv4(mapped[2] ?? "");
  if (mapped && tail)
    return parseIpv6(`${mapped[1]}${(tail.value >> 16n).toString(16)}:${(tail.value & 0xffffn).toString(16)}`);
  return parseIpv6(text);
}

function parseIpv4(text: string): Ip | undefined {
  const octets = /^\d{1,3}(\.\d{1,3}){3}$/.test(text) ? text.split(".").map(Number) : [];
  if (octets.length !== 4 || octets.some((octet) => octet > 255)) return undefined;
  return { bits: 32, value: octets.reduce((value, octet) => value * 256n + BigInt(octet), 0n) };
}

function parseIpv6(text: string): Ip | undefined {
  const [head = "", tail, more] = text.split("::");
  if (more !== undefined) return undefined;
  const [left, right] = [groups(head), groups(tail ?? "")];
  const gap = tail === undefined ? 0 : 8 - left.length - right.length;
  const all = [...left, ...Array<number>(Math.max(gap, 0)).fill(0), ...right];
  if (all.length !== 8 || all.some((group) => !(group >= 0 && group <= 0xffff))) return undefined;
  return fromMapped(all.reduce((value, group) => value * 0x10000n + BigInt(group), 0n));
}

function groups(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

// Go's net.IP takes ::ffff:a.b.c.d for the IPv4 address.
function fromMapped(value: bigint): Ip {
  return value >> 32n === 0xffffn ? { bits: 32, value: value & 0xffffffffn } : { bits: 128, value };
}
