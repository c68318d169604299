import { expect } from "vitest";
import { type Container, Lab } from "../support/lab.ts";
import { rulesOfContainers } from "../support/leftovers.ts";
import { expectFailure, expectPassed } from "./calls.ts";
import { cases, type Plugin, type PluginCase } from "./plugin-cases.ts";
import { wrapped, zone } from "./support.ts";

/** A plugin's place in its chain: for the only interface, for the second one, or for each of two. */
export const positions = ["first", "chained", "twice"] as const;
type Position = (typeof positions)[number];

const { bridge, macvlan } = cases;

function companions(given: PluginCase, position: Position): Plugin[] {
  if (given.role === "creator") return position === "chained" ? [wrapped(companionOf(given).plugin(0))] : [];
  const eth0 = position === "chained" ? macvlan : bridge;
  return [wrapped(eth0.plugin(0)), ...(position === "first" ? [] : [wrapped(bridge.plugin(1), "eth1")])];
}

/** No master can have both macvlan and ipvlan interfaces. */
function companionOf(given: PluginCase): PluginCase {
  return ["macvlan", "ipvlan"].includes(String(given.plugin(0).type)) ? bridge : macvlan;
}

/** Expects that a plugin in a position works: ADD does its work, CHECK passes, then sees the fault, and DEL leaves nothing. */
export async function expectToWork(given: PluginCase, position: Position): Promise<void> {
  const first = { ifName: "eth0", which: 0 } as const;
  const second = { ifName: "eth1", which: 1 } as const;
  const own = { first: [first], chained: [second], twice: [first, second] }[position];
  const plugins = own.map(({ ifName, which }) => wrapped(given.plugin(which), which === 0 ? undefined : ifName));
  const list = zone(...companions(given, position), ...plugins);
  await using lab = await Lab.start();
  await given.prepare?.(lab);
  const container = await lab.addContainer("c1");
  const before = await state(lab, container);
  const call = (verb: "add" | "check" | "del") => lab.goCni[verb](list, container, given.options);

  expectPassed(await call("add"));
  const seen = await Promise.all(own.map(({ ifName }) => given.effect.read({ lab, container, ifName })));
  expect(seen).toStrictEqual(own.map(({ ifName, which }) => given.effect.expected(which, ifName)));
  expectPassed(await call("check"));
  const { ifName, which } = position === "first" ? first : second;
  await given.fault.make({ lab, container, ifName }, which);
  expectFailure(await call("check"), given.fault.message(ifName));
  expectPassed(await call("del"));
  expect(await state(lab, container)).toStrictEqual(before);
}

/**
 * The state that one attachment leaves on a host. Bridges belong to all containers. So do the chains to which firewall
 * and portmap add a container's chains.
 */
async function state(lab: Lab, container: Container) {
  const links = (await lab.kernel.linkNames()).filter((name) => !/^br[01]$/.test(name));
  // The kernel makes this rule with a namespace's first VRF, and keeps it.
  const policy = (await lab.ip(container, "rule")).replace(/^\d+:\tfrom all lookup \[l3mdev-table\]\s*\n/m, "");
  return {
    links: links.sort(),
    rules: await rulesOfContainers(lab),
    inside: await lab.kernel.linkNames(container),
    policy,
    leases: await lab.kernel.leases(),
    results: await lab.kernel.cachedResults(),
    records: await lab.kernel.journals(),
    tuning: await lab.readdir("/run/cni/tuning"),
  };
}
