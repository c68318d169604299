import type { JsonObject } from "../../../shared/protocol/json.ts";
import type { CniResult, Interface, IpConfig, Route } from "../../../shared/protocol/result.ts";
import fc from "../support/fast-check.ts";
import { frozen } from "../support/frozen.ts";
import { blue, red } from "../support/requests.ts";
import { jsonObjects } from "./values.ts";

/** The parts of one generated attachment. Results are built from them. */
export interface Made {
  readonly before: readonly Interface[];
  readonly container: Interface & { readonly sandbox: string };
  /** Host-side interfaces after the container's. Only the last attachment of a scene has any. */
  readonly behind: readonly Interface[];
}

/** A part of a result with the number of its attachment; a route may have none. */
interface Of<T> {
  readonly of: number | undefined;
  readonly value: T;
}

/** The parts of a result. The expected values are derived from them. */
export interface Scene {
  readonly attachments: readonly Made[];
  readonly ips: readonly Of<IpConfig>[];
  readonly routes: readonly Of<Route>[];
  readonly dns: { readonly nameservers: readonly string[]; readonly search: readonly string[] };
  readonly rest: JsonObject;
  /** The attachment of the runtime's own interface; only its addresses may come without an index. */
  readonly runtime: number;
}

/** The namespace that every call of a scene is for. */
export const netns = blue;

/** The interfaces of an attachment in the order of a result. */
export function interfacesOf({ before, container, behind }: Made): Interface[] {
  return [...before, container, ...behind];
}

/** The interfaces of an attachment in the order that a wrapper returns. */
export function orderedInterfacesOf({ before, container, behind }: Made): Interface[] {
  return [...before, ...behind, container];
}

/** The result of a whole scene, or of some of its attachments. Nothing may change it. */
export function resultOf(scene: Scene, shown = scene.attachments.keys().toArray()): CniResult {
  const interfaces = shown.flatMap((number) => interfacesOf(made(scene, number)));
  const ips = scene.ips.filter(({ of }) => of !== undefined && shown.includes(of));
  const routes = scene.routes.filter(({ of }) => of === undefined || shown.includes(of));
  return frozen({
    ...scene.rest,
    interfaces,
    ips: ips.map(({ of, value }) => withIndex(value, interfaces.indexOf(made(scene, of).container))),
    routes: routes.map(({ value }) => value),
    dns: scene.dns,
  });
}

/** The attachment of that number. */
export function made({ attachments }: Scene, number: number | undefined): Made {
  const found = number === undefined ? undefined : attachments[number];
  if (found === undefined) throw new Error(`the scene has no attachment ${number}`);
  return found;
}

// An address with `interface: null` has no index.
function withIndex(ip: IpConfig, index: number): IpConfig {
  if (ip.interface !== null) return { ...ip, interface: index };
  const { interface: _, ...unindexed } = ip;
  return unindexed;
}

interface SceneOptions {
  /** Some attachments are in another sandbox. */
  readonly severalSandboxes?: boolean;
  /** Addresses of the runtime's interface may have no index. */
  readonly unindexed?: boolean;
}

/** Results of every version, made from one to four attachments with host-side interfaces, addresses and routes. */
export function scenes({ severalSandboxes = true, unindexed = true }: SceneOptions = {}): fc.Arbitrary<Scene> {
  const sandbox = severalSandboxes ? fc.constantFrom(blue, blue, red) : fc.constant(blue);
  const named = fc.record({ name: fc.constantFrom("eth0", "eth1", "net1", "a.b@c", "é"), sandbox });
  const containers = fc
    .uniqueArray(named, { minLength: 1, maxLength: 4, selector: ({ name, sandbox }) => `${name} ${sandbox}` })
    .filter((all) => all.some(({ sandbox }) => sandbox === netns));
  return containers.chain((all) => sceneOf(all, unindexed)).map(frozen);
}

function sceneOf(containers: readonly { name: string; sandbox: string }[], unindexed: boolean): fc.Arbitrary<Scene> {
  const own = containers.keys().filter((number) => containers[number]?.sandbox === netns);
  return fc
    .record({
      runtime: fc.constantFrom(...own),
      parts: fc.tuple(...containers.map((container, number) => partOf(container, number))),
      behind: fc.array(hostSide, { maxLength: 2 }),
      order: fc.array(fc.nat(), { minLength: 24, maxLength: 24 }),
      // Next to an address with an index, one without is nobody's.
      withoutIndex: unindexed ? fc.boolean() : fc.constant(false),
      dns: fc.record({ nameservers: fc.uniqueArray(word), search: fc.uniqueArray(word) }),
      cniVersion: fc.constantFrom("0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"),
      rest: unknownKeys,
    })
    .map(({ runtime, parts, behind, order, withoutIndex, dns, cniVersion, rest }) => ({
      attachments: parts.map(({ before, container }, number) => ({
        before,
        container,
        behind: number === parts.length - 1 ? behind : [],
      })),
      ips: shuffled(
        parts.flatMap(({ ips }, of) =>
          ips.map((ip) => ({ of, value: of === runtime && withoutIndex ? { ...ip, interface: null } : ip })),
        ),
        order,
      ),
      routes: shuffled(
        parts.flatMap(({ routes }) => routes),
        order,
      ),
      dns,
      rest: { ...rest, cniVersion },
      runtime,
    }));
}

const word = fc.constantFrom("10.0.0.53", "fd00::53", "example.org", "local");

/** Keys of no version of the specification, or only of another one. */
const unknownKeys = jsonObjects(["mtu", "socketPath", "pciID", "x"]);

const hostSide: fc.Arbitrary<Interface> = fc
  .record({
    // Attachments may share a bridge. A host may print `sandbox` in any of these ways.
    name: fc.constantFrom("br0", "veth1", "veth2", "eth0", "lo"),
    without: fc.constantFrom({}, { sandbox: "" }, { sandbox: null }),
    more: unknownKeys,
  })
  .map(({ name, without, more }) => ({ ...more, ...without, name }));

/** One attachment with addresses in two subnets that no other has, and routes. The third byte is its number. */
function partOf(container: { name: string; sandbox: string }, number: number) {
  const subnets = [
    { version: "4", address: (host: number) => `10.0.${number}.${host}/24`, gateway: `10.0.${number}.1` },
    { version: "6", address: (host: number) => `fd00:${number}::${host}/64`, gateway: `fd00:${number}::1` },
  ];
  const ip = fc.record({
    subnet: fc.constantFrom(...subnets),
    host: fc.integer({ min: 2, max: 99 }),
    more: unknownKeys,
  });
  const gateway = fc.constantFrom(undefined, "", "192.0.2.1", ...subnets.map((subnet) => subnet.gateway));
  const route = fc.record({ gateway, host: fc.nat({ max: 255 }), more: unknownKeys });
  return fc
    .record({
      before: fc.array(hostSide, { maxLength: 3 }),
      more: unknownKeys,
      ips: fc.uniqueArray(ip, { maxLength: 4, selector: ({ subnet, host }) => subnet.address(host) }),
      routes: fc.uniqueArray(route, { maxLength: 3, selector: ({ host }) => host }),
    })
    .map(({ before, more, ips, routes }) => ({
      before,
      container: { ...more, ...container },
      ips: ips.map(({ subnet, host, more }): IpConfig => {
        return { ...more, version: subnet.version, address: subnet.address(host), gateway: subnet.gateway };
      }),
      routes: routes.map(({ gateway, host, more }): Of<Route> => {
        const isReached = ips.some(({ subnet }) => subnet.gateway === gateway);
        const value = {
          ...more,
          dst: `10.${100 + number}.${host}.0/24`,
          ...(gateway === undefined ? {} : { gw: gateway }),
        };
        return { of: isReached ? number : undefined, value };
      }),
    }));
}

function shuffled<T>(items: readonly T[], order: readonly number[]): T[] {
  const keys = new Map(items.map((item, i) => [item, order[i % order.length] ?? 0]));
  return items.toSorted((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0));
}
