import { installScripts, scriptPath } from "../nomad/scripts.ts";
import type { Container, Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import { leftOfContainers } from "../support/leftovers.ts";
import type { NetworkList } from "../support/runtime.ts";
import { attached, expectFailure, expectPassed } from "./calls.ts";
import { bridge, front, macvlan, portmap, published, twoInterfaces, wrapped, zone } from "./support.ts";

// The bash and jq script attached containers, with every lease under the list's own name. Then somebody wrapped the list as
// the README says, without another key.

const masqueraded = { ...bridge, ipMasq: true };
const disc = ["disc0"];

/** Attaches containers with the script, then removes the script as an operator does. */
async function attachedByScript(lab: Lab, list: NetworkList, ...names: string[]): Promise<Container[]> {
  await installScripts("workaround")(lab);
  const containers: Container[] = [];
  for (const name of names) {
    const container = await attached(lab, lab.goCni, list, name, { pluginPath: scriptPath });
    expectPassed(await lab.goCni.check(list, container, { pluginPath: scriptPath }));
    containers.push(container);
  }
  await lab.run("rm", ["-r", "/opt/cni/bin/script"]);
  return containers;
}

test("CHECK passes, and DEL leaves nothing", async ({ lab }) => {
  const [one, two, gone] = await attachedByScript(lab, zone("1.1.0", macvlan, masqueraded), "c1", "c2", "c3");
  const list = zone("1.1.0", wrapped(macvlan), wrapped(masqueraded, "eth1"));
  if (!one || !two || !gone) throw new Error("expected three containers");
  expect(await lab.kernel.leases()).toContain("zone/172.26.64.2");
  for (const _ of [1, 2]) expectPassed(await lab.goCni.check(list, one));
  // As long as the script's leases exist, the wrapper takes addresses from the same network, so no address is used twice.
  const late = await attached(lab, lab.goCni, list, "c4");
  expectPassed(await lab.goCni.check(list, late));
  expectPassed(await lab.goCni.check(list, one));
  expectPassed(await lab.goCni.del(list, one));
  expectPassed(await lab.goCni.del(list, one));
  expect((await lab.kernel.leases()).sort()).toEqual([
    "zone/172.16.5.3",
    "zone/172.16.5.4",
    "zone/172.16.5.5",
    "zone/172.26.64.3",
    "zone/172.26.64.4",
    "zone/172.26.64.5",
  ]);
  expect(Object.keys(await lab.kernel.allAddresses(one))).toEqual([]);
  expectPassed(await lab.goCni.check(list, two));
  // The result may be lost, and a reboot removes the namespace.
  await lab.run("rm", ["/var/lib/cni/results/zone-c2-eth0"]);
  expectPassed(await lab.goCni.del(list, two));
  await lab.deleteNamespace(gone);
  expectPassed(await lab.goCni.del(list, gone));
  expectPassed(await lab.goCni.del(list, late));
  expect(await lab.kernel.leases()).toEqual([]);
  // The last of these leases is gone. From now on eth1 has its own network.
  expectPassed(await lab.goCni.add(list, late));
  expect((await lab.kernel.leases()).map((lease) => lease.split("/")[0]).sort()).toEqual(["zone", "zone-eth1"]);
  expectPassed(await lab.goCni.del(list, late));
  expect(await leftOfContainers(lab, disc)).toEqual([]);
});

/** Ways to lose a part of an attachment. */
const faults: Readonly<Record<string, (lab: Lab, container: Container, lease: string) => Promise<unknown>>> = {
  "an address of eth1": (lab, one) => lab.ip(one, "address", "flush", "dev", "eth1"),
  "an address of eth0": (lab, one) => lab.ip(one, "address", "flush", "dev", "eth0"),
  "a route of eth1": (lab, one) => lab.ip(one, "route", "delete", "10.99.0.0/16"),
  "eth1 itself": (lab, one) => lab.ip(one, "link", "delete", "eth1"),
  "the lease of eth1": (lab, _, lease) => lab.run("rm", [`/var/lib/cni/networks/zone/${lease}`]),
};

test("CHECK still sees a loss, and DEL still leaves nothing", async ({ lab }) => {
  const names = Object.keys(faults).map((_, index) => `c${index}`);
  const containers = await attachedByScript(lab, zone(macvlan, bridge), ...names);
  const list = twoInterfaces();
  for (const [index, [title, lose]] of Object.entries(faults).entries()) {
    const container = containers[index] as Container;
    expectPassed(await lab.goCni.check(list, container));
    const [address = ""] = await lab.kernel.addresses(container, "eth1");
    await lose(lab, container, address.split("/")[0] ?? "");
    expect(await lab.goCni.check(list, container), title).toMatchObject({ exitCode: 1 });
    expectPassed(await lab.goCni.del(list, container));
  }
  expect(await leftOfContainers(lab, disc)).toEqual([]);
});

test("with `network` only that network counts: the script's own, or another one without a lease", async ({ lab }) => {
  const [container] = await attachedByScript(lab, zone(macvlan, bridge), "c1");
  if (!container) throw new Error("expected a container");
  const listOf = (network: string) =>
    zone(wrapped(macvlan), { ...wrapped(bridge), wrapper: { ifName: "eth1", network } });
  expectPassed(await lab.goCni.check(listOf("zone"), container));
  for (const network of ["zone-eth1", "elsewhere"]) {
    const outcome = await lab.goCni.check(listOf(network), container);
    expectFailure(outcome, /host-local: Failed to find address added by container c1/);
  }
  expectPassed(await lab.goCni.del(listOf("elsewhere"), container));
  expect(await lab.kernel.leases()).toEqual(["zone/172.26.64.2"]);
  expectPassed(await lab.goCni.del(listOf("zone"), container));
  expect(await leftOfContainers(lab, disc)).toEqual([]);
});

test("the wrapper does not look for an attachment with a record under the list's own name", async ({
  lab,
  container,
}) => {
  const list = twoInterfaces();
  expectPassed(await lab.goCni.add(list, container));
  await lab.run("mv", ["/var/lib/cni/networks/zone-eth1/172.26.64.2", "/var/lib/cni/networks/zone/172.26.64.2"]);
  expectFailure(await lab.goCni.check(list, container), /host-local: Failed to find address added by container c1/);
  expectPassed(await lab.goCni.del(list, container));
  expect(await lab.kernel.leases()).toEqual(["zone/172.26.64.2"]);
});

describe("chained plugins that were plain", () => {
  const ofIptables = { ...portmap, backend: "iptables" };
  const options = published(25080);

  test("have an `ifName` by now, and what they left has the list's name: CHECK passes, and DEL leaves nothing", async ({
    lab,
  }) => {
    const rates = { ingressRate: 8000000, ingressBurst: 800000, egressRate: 8000000, egressBurst: 800000 };
    const plugins = [bridge, ofIptables, { type: "bandwidth", ...rates }];
    const container = await attached(lab, lab.goCni, zone(...plugins), "c1", options);
    const list = zone(...plugins.map((plugin) => wrapped(plugin, "eth0")));
    expectPassed(await lab.goCni.check(list, container, options));
    await lab.run("sh", ["-c", "iptables -t nat -F CNI-HOSTPORT-DNAT"]);
    expectFailure(await lab.goCni.check(list, container, options), /could not check ipv4 dnat/);
    expectPassed(await lab.goCni.del(list, container, options));
    expect(await leftOfContainers(lab, disc)).toEqual([]);
  });

  test("are wrapped by now, and libcni's result is lost: DEL removes the published port", async ({ lab }) => {
    const list = (plugin: Record<string, unknown>) => zone(wrapped(front), wrapped(bridge, "eth1"), plugin);
    const container = await attached(lab, lab.goCni, list(ofIptables), "c1", options);
    await lab.run("rm", ["-r", "/var/lib/cni/results"]);
    expectPassed(await lab.goCni.del(list(wrapped(ofIptables)), container, options));
    expect(await leftOfContainers(lab, ["front0", ...disc])).toEqual([]);
  });
});
