import { describe, expect, test } from "vitest";
import type { Attachment } from "../../../shared/attachment/attachments.ts";
import { ownAttachment } from "../../../shared/attachment/attachments.ts";
import { narrowPrevResult } from "../../../shared/attachment/narrow.ts";
import { spliceCreator, spliceMeta } from "../../../shared/attachment/splice.ts";
import { joinedFinder, type KernelRoute, missingRoutes, withoutMoved } from "../../../shared/journal/routing.ts";
import type { CniResult, Interface, Route } from "../../../shared/protocol/result.ts";

// Somebody may put a huge prevResult into a configuration. The work must grow with its size, not with its square. A result
// counts how often its parts are read; the sizes of what cannot be counted would take minutes.

const sandbox = "/run/netns/blue";
const [eth0, eth1] = ["eth0", "eth1"].map((name) => ({ name, sandbox })) as [Interface, Interface];
const selector = { ifName: "eth1", netns: sandbox, runtimeIfName: "eth0" };
const count = 2000;
/** Far more reads of each part than a linear algorithm needs, and far less than a quadratic one. */
const mostReads = 50 * count;

/** Returns objects that count the reads of one key. */
function counted<T>(length: number, key: string, make: (index: number) => object, reads: { count: number }): T[] {
  return Array.from({ length }, (_, index) => {
    const { [key]: value, ...rest } = make(index) as Record<string, unknown>;
    const get = () => {
      reads.count++;
      return value;
    };
    return Object.defineProperty(rest, key, { get, enumerable: true }) as T;
  });
}

const octets = (index: number): string => `${index >> 8}.${index & 255}`;

type Reads = Parameters<typeof counted>[3];

/** Routes of eth1 to gateways in the subnets of eth0's addresses. */
const gatewaysOf = (reads: Reads): CniResult => ({
  interfaces: [eth0, eth1],
  ips: counted(count, "interface", (index) => ({ address: `10.1.${octets(index)}/8`, interface: 0 }), reads),
  routes: Array.from({ length: count }, (_, index) => ({ dst: "0.0.0.0/0", gw: `10.9.${octets(index)}` })),
});
const own: Attachment = { container: 1, members: [1] };

test.each<[string, (reads: Reads) => void]>([
  [
    "routes to addresses in one subnet of another interface are narrowed",
    (reads) => {
      expect(narrowPrevResult(gatewaysOf(reads), own, selector)).toMatchObject({ ips: [], routes: [] });
    },
  ],
  [
    "and spliced",
    (reads) => {
      const meta = { prevResult: gatewaysOf(reads), attachment: own, selector };
      expect(spliceMeta(meta, { interfaces: [eth1] }).routes).toHaveLength(count);
    },
  ],
  [
    "routes of two plugins are joined",
    (reads) => {
      const routes = (from: number) =>
        counted<Route>(count, "dst", (i) => ({ dst: `10.${octets(from + i)}.0/24` }), reads);
      const before = { interfaces: [eth0], routes: routes(0) };
      const spliced = spliceCreator(before, { interfaces: [eth1], routes: routes(count / 2) }, selector);
      expect(spliced.routes).toHaveLength(1.5 * count);
    },
  ],
  [
    "IPv6 routes of two interfaces are looked for among those that the kernel may have joined",
    (reads) => {
      const make = (i: number) => ({ dst: `fd00:${i.toString(16)}::/64`, gw: `fd01::${i % 2}` });
      const routes = counted<Route>(count, "dst", make, reads);
      expect(routes.filter(joinedFinder({ routes }))).toEqual([]);
    },
  ],
  [
    "routes are looked for in the kernel's",
    (reads) => {
      const make = (i: number) => ({ dst: `10.${octets(i)}.0/24`, gateway: "10.0.0.1", table: "main" });
      const listed = Array.from({ length: count }, (_, i) => ({ ...make(i), gw: "10.0.0.1" }));
      expect(missingRoutes(listed, { routes: counted<KernelRoute>(count, "dst", make, reads) })).toEqual([]);
    },
  ],
  [
    "routes are looked for among those that were moved",
    (reads) => {
      const make = (i: number) => ({ dst: `10.${octets(i)}.0/24`, dev: "eth1", table: "100" });
      const mover = { routes: counted<KernelRoute>(count, "dst", make, reads), rules: [] };
      const routes = Array.from({ length: count }, (_, i) => ({ dst: `10.${octets(i)}.0/24` }));
      expect(withoutMoved({ routes }, [mover, mover])).toEqual({ routes: [] });
    },
  ],
  [
    "addresses of a plugin that returns the whole result are compared",
    (reads) => {
      const ips = counted<{ address: string }>(count, "address", (i) => ({ address: `10.${octets(i)}.1/32` }), reads);
      const merged = { interfaces: [eth0, eth1], ips: [...ips].reverse() };
      expect(spliceCreator({ interfaces: [eth0], ips }, merged, selector).ips).toHaveLength(count);
    },
  ],
])("%s", (_, act) => {
  const reads = { count: 0 };
  act(reads);
  expect(reads.count).toBeLessThan(mostReads);
});

describe("many host-side interfaces and addresses", () => {
  const links = Array.from({ length: 200_000 }, (_, index) => ({ name: `h${index}` }));
  const addresses = (owner: number) =>
    Array.from({ length: 100_000 }, (_, index) => ({ address: `10.0.${octets(index)}/32`, interface: owner }));

  test("are narrowed", { timeout: 20_000 }, () => {
    const result = { interfaces: [eth0, ...links, eth1], ips: addresses(links.length + 1) };
    const attachment = ownAttachment(result, selector);
    expect(attachment?.members).toHaveLength(links.length + 1);
    const narrowed = narrowPrevResult(result, attachment as Attachment, selector);
    expect(narrowed.ips?.at(-1)).toMatchObject({ interface: links.length });
  });

  test("of an interface that is not listed do not belong to another", { timeout: 20_000 }, () => {
    const interfaces = [...links, eth1];
    const ips = interfaces.slice(0, -1).map((_, index) => ({ address: `10.0.${octets(index)}/32`, interface: index }));
    expect(ownAttachment({ interfaces, ips }, selector)).toEqual({ container: links.length, members: [links.length] });
  });
});
