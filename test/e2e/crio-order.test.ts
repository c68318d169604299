import type { Outcome } from "../support/lab.ts";
import { expect, test } from "../support/lab-test.ts";
import { leftOfContainers } from "../support/leftovers.ts";
import type { Pod } from "../support/runtime.ts";
import { expectFailure, expectPassed, expectSuccess } from "./calls.ts";
import { failNext, flaky, installFlaky } from "./recovery-support.ts";
import { bridge, front, macvlan, ptp, wrapped, zone } from "./support.ts";

// CRI-O runs CHECK at once after each ADD, and ends the pod if it fails.

const two = zone("1.1.0", wrapped(macvlan), wrapped(bridge, "eth1"));
const four = zone(
  "1.1.0",
  wrapped(macvlan),
  wrapped(bridge, "eth1"),
  wrapped(ptp, "eth2"),
  wrapped({ ...front, ipMasq: true }, "eth3"),
  { type: "firewall", backend: "iptables" },
);
const bridges = ["disc0", "front0"];

test("two interfaces: ADD and CHECK pass, after every restart as well", async ({ lab, container }) => {
  const pod = podOf(await lab.crioOrder.run(two, container));
  expect(pod.addresses).toEqual(["172.16.5.2", "172.26.64.2"]);
  for (const _ of [1, 2, 3]) expect(await lab.crioOrder.restart(two, [container])).toEqual({});
  expectPassed(await lab.crioOrder.stop(two, container));
  expect(await leftOfContainers(lab, bridges)).toEqual([]);
});

test.for([
  ["two interfaces", two, "eth1"],
  ["four interfaces", four, "eth3"],
] as const)("%s: a restart warns of the pod that has lost one, and of no other", async ([_, list, lost], { lab }) => {
  const [sound, broken] = [await lab.addContainer("c1"), await lab.addContainer("c2")];
  for (const container of [sound, broken]) podOf(await lab.crioOrder.run(list, container));
  expect(await lab.crioOrder.restart(list, [sound, broken])).toEqual({});
  await lab.ip(broken, "link", "delete", lost);
  expect(await lab.crioOrder.restart(list, [sound, broken])).toEqual({ c2: expect.stringMatching(lost) });
  // DEL needs no namespace, and none of the pod's interfaces.
  for (const container of [sound, broken]) expectPassed(await lab.crioOrder.stop(list, container));
  expect(await leftOfContainers(lab, bridges)).toEqual([]);
});

test("four interfaces: GC at a restart removes a pod that is gone, and leaves the others", async ({ lab }) => {
  const [stays, gone] = [await lab.addContainer("c1"), await lab.addContainer("c2")];
  for (const container of [stays, gone]) podOf(await lab.crioOrder.run(four, container));
  await lab.deleteNamespace(gone);
  expect(await lab.crioOrder.restart(four, [stays])).toEqual({});
  expect(await lab.kernel.leases()).toEqual([
    "zone/172.16.5.2",
    "zone-eth1/172.26.64.2",
    "zone-eth2/10.50.0.2",
    "zone-eth3/172.30.0.2",
  ]);
  expect(await lab.kernel.journals()).toEqual(["c1/zone:eth0"]);
  expectPassed(await lab.crioOrder.stop(four, stays));
  expect(await leftOfContainers(lab, bridges)).toEqual([]);
});

test("an ADD that fails: CRI-O's DEL leaves nothing, and the kubelet's next pod runs", async ({ lab }) => {
  await installFlaky(lab);
  // Without a result, DEL of a plain firewall removes nothing.
  const list = { ...four, plugins: [...four.plugins.slice(0, -1), flaky] };
  await failNext(lab);
  expectFailure(await lab.crioOrder.run(list, await lab.addContainer("c1")), /^ADD: .*not now$/);
  expect(await leftOfContainers(lab, bridges)).toEqual([]);
  const next = await lab.addContainer("c2");
  podOf(await lab.crioOrder.run(list, next));
  expectPassed(await lab.crioOrder.stop(list, next));
  expect(await leftOfContainers(lab, bridges)).toEqual([]);
});

function podOf(outcome: Outcome): Pod {
  return JSON.parse(expectSuccess(outcome));
}
