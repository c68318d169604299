/** The random values of a lab. Each kind is numbered in the order of first appearance. */
const patterns: readonly { readonly kind: string; readonly pattern: RegExp }[] = [
  { kind: "veth", pattern: /\bveth[0-9a-f]{8}\b/g },
  { kind: "mac", pattern: /(?<![0-9a-f:])(?:[0-9a-f]{2}:){5}[0-9a-f]{2}(?![0-9a-f:])/g },
];

const linkLocal = /\bfe80::[0-9a-f:]+/g;

/** A bridge's id: its priority and its MAC. ip(8) omits leading zeros in the MAC. */
const bridgeId = /(?<=\b[0-9a-f]{4}\.)(?:[0-9a-f]{1,2}:){5}[0-9a-f]{1,2}\b/g;

/**
 * Replaces random values in every string and key of plain data: names of host-side veths, MACs, and link-local
 * addresses made from MACs. Equal values get equal replacements, so a different relation between values in two labs is
 * still visible. `keep` lists MACs that a test chose itself.
 */
export function normalise<T>(value: T, { keep = [] as readonly string[] } = {}): T {
  const seen = new Map<string, string>();
  const counts = new Map<string, number>();
  const rename = (kind: string, text: string): string => {
    const known = seen.get(text) ?? (isFixed(text, keep) ? text : undefined);
    if (known !== undefined) return known;
    const number = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, number);
    seen.set(text, `<${kind} ${number}>`);
    return `<${kind} ${number}>`;
  };
  const inText = (text: string): string =>
    patterns.reduce(
      (done, { kind, pattern }) => done.replace(pattern, (found) => rename(kind, found)),
      text.replace(linkLocal, (found) => macOfLinkLocal(found) ?? found).replace(bridgeId, padded),
    );
  return deep(value, inText) as T;
}

function isFixed(text: string, keep: readonly string[]): boolean {
  return keep.includes(text) || text === "00:00:00:00:00:00" || text === "ff:ff:ff:ff:ff:ff";
}

function deep(value: unknown, inText: (text: string) => string): unknown {
  if (typeof value === "string") return inText(value);
  if (Array.isArray(value)) return value.map((inner) => deep(inner, inText));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [inText(key), deep(inner, inText)]));
}

/** Returns the MAC of a link-local address (RFC 4291, appendix A), if it was made from one. */
function macOfLinkLocal(address: string): string | undefined {
  const groups = address.slice("fe80::".length).split(":");
  const digits = groups.map((group) => group.padStart(4, "0")).join("");
  const bytes = digits.padStart(16, "0").match(/../g) ?? [];
  const [first = "", second, third, ff, fe, ...rest] = bytes;
  if (bytes.length !== 8 || ff !== "ff" || fe !== "fe") return undefined;
  const universal = (Number.parseInt(first, 16) ^ 2).toString(16).padStart(2, "0");
  return `link-local of ${[universal, second, third, ...rest].join(":")}`;
}

function padded(mac: string): string {
  const bytes = mac.split(":").map((byte) => byte.padStart(2, "0"));
  return bytes.join(":");
}
