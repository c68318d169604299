import type { Container, Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import { attached, expectNothingLeft, expectSound, expectSuccess, expectUndone } from "./calls.ts";
import { installPlugin, journals, rebooted } from "./recovery-support.ts";
import { hostLocal, macvlan, portmap, published, wrapped, zone } from "./support.ts";

describe("the list is edited while a container lives", () => {
  test.for([
    ["set", undefined, "zone"],
    ["removed", "disc", undefined],
  ] as const)("wrapper.network is %s: CHECK passes, and DEL leaves nothing", async ([_, before, now], { lab }) => {
    const list = (network: string | undefined) =>
      zone(wrapped(macvlan), { ...wrapped(numbered(6)), wrapper: { ifName: "eth1", ...(network && { network }) } });
    const container = await attached(lab, lab.goCni, list(before));
    await expectSound(lab, list(now), container, ["br6"]);
  });

  test("the runtime's own name is its ifName by now: a new container gets another address", async ({ lab }) => {
    const container = await attached(lab, lab.goCni, zone(wrapped(numbered(6))));
    const list = zone(wrapped(numbered(6), "eth0"));
    const other = await attached(lab, lab.goCni, list, "c2");
    const addresses = [await lab.kernel.addresses(container, "eth0"), await lab.kernel.addresses(other, "eth0")];
    expect(addresses).toEqual([["10.6.0.2/24"], ["10.6.0.3/24"]]);
    for (const one of [container, other]) expectSuccess(await lab.goCni.check(list, one));
    expectSuccess(await lab.goCni.del(list, container));
    await expectUndone(lab, list, other, ["br6"]);
  });
});

test("ipvlan has the place of a plain bridge by now: DEL passes, and removes the interface", async ({ lab }) => {
  const container = await attached(lab, lab.goCni, zone(numbered(6)));
  const list = zone(wrapped({ type: "ipvlan", ipam: hostLocal("10.6.0.0/24") }));
  await expectUndone(lab, list, container, ["br6"]);
});

test("DEL of a plugin without a profile leaves the interface to the creator before it", async ({ lab }) => {
  await installPlugin(
    lab,
    "unknown",
    'echo "$CNI_COMMAND $CNI_IFNAME" >>/run/lab/unknown-calls; exec /opt/cni/bin/tuning',
  );
  await lab.run("ln", ["-s", "cni-wrappers", "/opt/cni/bin/unknown-wrapper"]);
  const ptp = { type: "ptp", ipMasq: true, ipam: hostLocal("10.6.0.0/24") };
  const list = zone(wrapped(ptp), { type: "unknown-wrapper" });
  const container = await attached(lab, lab.goCni, list);
  expectSuccess(await lab.goCni.del(list, container));
  expect(await lab.readFile("/run/lab/unknown-calls")).toBe("ADD eth0\nDEL eth0\n");
  await expectNothingLeft(lab);
});

describe("DEL of what a script attached under the list's own name", () => {
  const attachedByScript = async (lab: Lab, plugin: Record<string, unknown>): Promise<Container> => {
    const script = zone(wrapped(macvlan), { ...wrapped(plugin), wrapper: { ifName: "eth1", network: "zone" } });
    const container = await attached(lab, lab.goCni, script);
    await lab.run("rm", ["-r", journals]);
    return container;
  };

  test("moves host-device's interface back, and continues with the other plugins", async ({ lab }) => {
    await lab.ip(undefined, "link", "add", "dev7", "type", "veth", "peer", "name", "dev8");
    const device = { type: "host-device", device: "dev7", ipam: hostLocal("10.7.0.0/24") };
    const container = await attachedByScript(lab, device);
    expectSuccess(await lab.goCni.del(zone(wrapped(macvlan), wrapped(device, "eth1")), container));
    await expectNothingLeft(lab, ["dev8", "dev7"]);
  });
});

test.for(["", "a reboot, ", "another namespace, "])(
  "the plain plugin's list, %sADD, and the wrapped list again: DEL leaves nothing",
  async (between, { lab }) => {
    const plain = { type: "ptp", ipMasq: true, ipam: hostLocal("10.6.0.0/24") };
    const chained = [portmap, { type: "firewall", backend: "iptables" }];
    const list = zone(wrapped(plain), ...chained.map((one) => wrapped(one)));
    const old = zone(plain, ...chained);
    const container = await attached(lab, lab.goCni, list);
    // Plain ptp leaves the masquerading rules of an interface that is gone.
    if (between.includes("namespace")) await lab.deleteNamespace(container);
    expectSuccess(await lab.goCni.del(old, container));
    if (between.includes("namespace")) await lab.addContainer(container.name);
    if (between.includes("reboot")) await rebooted(lab, container);
    expectSuccess(await lab.goCni.add(old, container, published(25080)));
    expectSuccess(await lab.goCni.check(list, container, published(25080)));
    expectSuccess(await lab.goCni.del(list, container, published(25080)));
    await expectNothingLeftIn(lab, container, /10\.6\.0|25080/);
  },
);

/** Expects that the namespace has no interface, that no rule is like this, and that no lease or record is left. */
async function expectNothingLeftIn(lab: Lab, container: Container, ours: RegExp): Promise<void> {
  expect(await lab.kernel.linkNames(container)).toEqual(["lo"]);
  expect((await lab.kernel.packetRules()).filter((rule) => ours.test(rule))).toEqual([]);
  expect([await lab.kernel.leases(), await lab.kernel.journals()]).toEqual([[], []]);
}

function numbered(number: number, more: Record<string, unknown> = {}) {
  return { type: "bridge", bridge: `br${number}`, isGateway: true, ipam: hostLocal(`10.${number}.0.0/24`), ...more };
}
