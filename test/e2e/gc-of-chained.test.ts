import type { Container, Lab } from "../support/lab.ts";
import { expect, test } from "../support/lab-test.ts";
import { leftovers } from "../support/leftovers.ts";
import { attached, expectPassed } from "./calls.ts";
import { bridge, front, published, wrapped, zone } from "./support.ts";

// libcni runs DEL for the attachments in its cache. Only the journals know of the others: ADD was killed, or the cache is lost.

const rates = { ingressRate: 8000000, ingressBurst: 800000, egressRate: 8000000, egressBurst: 800000 };
const bandwidth = wrapped({ type: "bandwidth", ...rates }, "eth1");
const firewall = wrapped({ type: "firewall", backend: "iptables" }, "eth1");
const sbr = wrapped({ type: "sbr" }, "eth1");
const portmap = wrapped({ type: "portmap", capabilities: { portMappings: true } }, "eth1");

const list = zone("1.1.0", wrapped(front), wrapped(bridge, "eth1"), bandwidth, firewall, portmap, sbr);
const edited = zone("1.1.0", wrapped(front), wrapped(bridge, "eth1"), { ...portmap, snat: false }, firewall, bandwidth);

test.for([
  ["the list of ADD", list],
  ["an edited list", edited],
] as const)(
  "GC without a cached result removes what chained plugins made, and nothing of others: %s",
  async ([_, present], { lab }) => {
    const valid = await attachedWith(lab, "valid", 25080);
    const ofAnotherRuntime = await attachedWith(lab, "other", 25081);
    await forgetResult(lab, ofAnotherRuntime);
    const before = await stateOf(lab, valid, ofAnotherRuntime);
    const gone = await attachedWith(lab, "gone", 25082);
    expect(await lab.kernel.packetRules()).toContainEqual(expect.stringContaining("--dport 25082"));
    await forgetResult(lab, gone);
    await lab.deleteNamespace(gone);

    expectPassed(await lab.goCni.gc(present, [{ containerID: "valid", ifname: "eth0" }]));
    // The kernel removes the interfaces of a deleted namespace later.
    await expect.poll(() => stateOf(lab, valid, ofAnotherRuntime)).toEqual(before);
    expectPassed(await lab.goCni.check(list, valid, published(25080)));
  },
);

test("GC keeps the rules of an address that another container got", async ({ lab }) => {
  const gone = await attachedWith(lab, "gone", 25082);
  await forgetResult(lab, gone);
  await lab.deleteNamespace(gone);
  // As after the loss of a tmpfs, or with static IPAM.
  await lab.run("sh", ["-c", "rm -r /var/lib/cni/networks"]);
  const next = await attachedWith(lab, "next", 25080);
  const before = await stateOf(lab, next);
  expect(before.addresses).toEqual([expect.objectContaining({ eth1: ["172.26.64.2/20"] })]);

  expectPassed(await lab.goCni.gc(list, [{ containerID: "next", ifname: "eth0" }]));
  expectPassed(await lab.goCni.check(list, next, published(25080)));
  const rules = await lab.kernel.packetRules();
  expect(rules.filter((rule) => rule.includes("25082"))).toEqual([]);
  expect(rules).toContainEqual(expect.stringMatching(/-A CNI-FORWARD -d 172\.26\.64\.2\/32/));
  expect((await lab.kernel.journals()).filter((record) => JSON.stringify(record).includes("gone"))).toEqual([]);
});

function attachedWith(lab: Lab, name: string, hostPort: number): Promise<Container> {
  return attached(lab, lab.goCni, list, name, published(hostPort));
}

async function forgetResult(lab: Lab, { name }: Container): Promise<void> {
  await lab.run("rm", [`/var/lib/cni/results/zone-${name}-eth0`]);
}

async function stateOf(lab: Lab, ...containers: readonly Container[]) {
  const addresses = await Promise.all(containers.map((each) => lab.kernel.allAddresses(each)));
  return { left: (await leftovers(lab)).sort(), addresses };
}
