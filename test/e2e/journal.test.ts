import type { Container } from "../support/lab.ts";
import { expect, test } from "../support/lab-test.ts";
import { attached, expectFailure, expectPassed, expectSound, expectUndone } from "./calls.ts";
import { identity, rebooted } from "./recovery-support.ts";
import { bridge, front, macvlan, ptp, withoutFirstThread, wrapped, zone } from "./support.ts";

// What a wrapper remembers of an attachment, and what follows from it when something goes wrong in between.

const list = zone(wrapped(macvlan), wrapped(bridge, "eth1"));

test.for([
  ["a mount", (container: Container) => container],
  ["a link to a mount", (container: Container) => ({ ...container, netns: "/run/linked" })],
] as const)(
  "the namespace was made anew at %s, and the old one is gone: ADD passes with the same addresses",
  async ([_, at], { lab }) => {
    const first = await lab.addContainer("c1");
    await lab.run("ln", ["-s", first.netns, "/run/linked"]);
    expectPassed(await lab.goCni.add(list, at(first)));
    expectPassed(await lab.goCni.add(list, await lab.addContainer("c2")));
    const addresses = await lab.kernel.allAddresses(first);
    const inode = () => lab.run("stat", ["-Lc", "%i", first.netns]);
    const before = await inode();
    await lab.deleteNamespace(first);
    const container = at(await lab.addContainer("c1"));
    // The kernel gives the number to a later namespace.
    await lab.run("sed", ["-i", `s/${before.trim()}/${(await inode()).trim()}/`, "/var/lib/cni/wrappers/c1/zone:eth0"]);
    expectFailure(await lab.goCni.check(list, container), /eth0|not found/);
    expectPassed(await lab.goCni.add(list, container));
    expect(await lab.kernel.allAddresses(container)).toEqual(addresses);
    expectPassed(await lab.goCni.check(list, container));
  },
);

test.for([
  ["a task", ["sleep", "1000"]],
  ["a thread of a task", withoutFirstThread],
] as const)(
  "the namespace was made anew, and %s still runs in the old one: ADD fails as the plain one does",
  async ([_, task], { lab }) => {
    const old = await attached(lab, lab.goCni, list);
    const leases = await lab.kernel.leases();
    await lab.run("sh", [
      "-c",
      // While nsenter enters it, it is busy.
      `nsenter --net=${old.netns} setsid "$@" >/dev/null 2>&1 & until sleep 0.2; umount ${old.netns}; do :; done; rm ${old.netns}`,
      "sh",
      ...task,
    ]);
    const container = await lab.addContainer("c1");
    for (const _ of [1, 2]) expectFailure(await lab.goCni.add(list, container), /duplicate allocation|exists/);
    expect(await lab.kernel.leases()).toEqual(leases);
  },
);

test.for([
  ["is of a newer version", (text: string) => text.replaceAll('"format":1', '"format":9')],
  ["cannot be read", () => "nonsense\n"],
] as const)("a journal that %s: ADD undoes nothing, and DEL leaves nothing", async ([_, change], { lab }) => {
  const container = await attached(lab, lab.goCni, list);
  const file = "/var/lib/cni/wrappers/c1/zone:eth0";
  await lab.writeFile(file, change(await lab.readFile(file)));
  const before = [await identity(lab, container, "eth0"), await lab.readFile(file)];
  expectFailure(await lab.goCni.add(list, container), /exists/);
  expect([await identity(lab, container, "eth0"), await lab.readFile(file)]).toEqual(before);
  expectPassed(await lab.goCni.check(list, container));
  expectPassed(await lab.goCni.del(list, container));
  expect([await lab.kernel.leases(), await lab.kernel.linkNames(container)]).toEqual([[], ["lo"]]);
  expect(await lab.kernel.journals()).toEqual(["c1/zone:eth0"]);
});

test("a list that 0.2.0 attached: CHECK passes, and DEL leaves nothing", async ({ lab, container }) => {
  const sbr = wrapped({ type: "sbr" }, "eth1");
  const withSbr = zone(wrapped(front), wrapped(bridge, "eth1"), sbr);
  expectPassed(await lab.goCni.add(withSbr, container));
  // Its records had other names, and what is in them does not count.
  const names = ["zone:c1:eth0:eth0", "zone:c1:eth0:eth1", "zone:c1:eth0:eth1:sbr-12345678", "zone:c1:eth0::routes"];
  await lab.run("sh", ["-c", `cd /var/lib/cni/wrappers && rm -r c1 && touch ${names.join(" ")}`]);
  expectPassed(await lab.goCni.check(withSbr, container));
  await lab.ip(container, "address", "del", "172.26.64.2/20", "dev", "eth1");
  expect((await lab.goCni.check(withSbr, container)).exitCode).toBe(1);
  await lab.ip(container, "address", "add", "172.26.64.2/20", "dev", "eth1");
  await expectUndone(lab, withSbr, container, ["front0", "disc0"]);
});

test("after a reboot, DEL takes no rule of whoever has the address now", async ({ lab }) => {
  const one = { subnet: "172.26.64.0/20", rangeStart: "172.26.64.9", rangeEnd: "172.26.64.9" };
  const scarce = { ...bridge, ipam: { type: "host-local", ranges: [[one]] } };
  const firewalled = zone(
    wrapped(front),
    wrapped(scarce, "eth1"),
    wrapped({ type: "firewall", backend: "iptables" }, "eth1"),
  );
  const old = await attached(lab, lab.goCni, firewalled);
  const again: Container = await rebooted(lab, old, "front0", "disc0");
  await lab.run("sh", ["-c", "iptables -F; iptables -X; rm /var/lib/cni/networks/zone-eth1/172.26.64.9"]);
  const next = await attached(lab, lab.goCni, firewalled, "c2");
  expectPassed(await lab.goCni.del(firewalled, again));
  expectPassed(await lab.goCni.check(firewalled, next));
});

test("names of 165 characters get a journal, and DEL leaves nothing", async ({ lab }) => {
  const tuning = wrapped({ type: "tuning", mtu: 1400 }, "eth1");
  const long = { ...list, name: "n".repeat(165), plugins: [...list.plugins, tuning] };
  const container = await attached(lab, lab.goCni, long, "c".repeat(64));
  expect(await lab.kernel.journals()).toHaveLength(1);
  await expectSound(lab, long, container, ["disc0"]);
});

test("a clock that is set back: an ADD of a live attachment changes nothing", async ({ lab }) => {
  const container = await attached(lab, lab.goCni, list);
  await lab.run("sh", ["-c", "touch -d '+1 hour' /var/lib/cni/results/* /var/lib/cni/wrappers/*/*"]);
  const state = async () => [
    await identity(lab, container, "eth0"),
    await identity(lab, container, "eth1"),
    await lab.kernel.leases(),
  ];
  const before = await state();
  for (const _ of [1, 2]) expectFailure(await lab.goCni.add(list, container), /exists/);
  expect(await state()).toEqual(before);
  expectPassed(await lab.goCni.check(list, container));
});

test("GC with a list that is null undoes what is gone", async ({ lab }) => {
  const newer = { ...list, cniVersion: "1.1.0" };
  const container = await attached(lab, lab.goCni, newer);
  await lab.deleteNamespace(container);
  const configuration = { ...newer.plugins[1], cniVersion: "1.1.0", name: "zone", "cni.dev/valid-attachments": null };
  const env = { CNI_COMMAND: "GC", CNI_PATH: "/opt/cni/bin" };
  const outcome = await lab.call("/opt/cni/bin/bridge-wrapper", [], { env, input: JSON.stringify(configuration) });
  expect(outcome.exitCode).toBe(0);
  expect([await lab.kernel.leases(), await lab.kernel.journals()]).toEqual([[], []]);
});

test("DEL without a namespace removes masquerading rules", async ({ lab }) => {
  const masked = zone(wrapped({ ...front, ipMasq: true }), wrapped({ ...ptp, ipMasq: true }, "eth1"));
  const container = await attached(lab, lab.goCni, masked);
  await lab.deleteNamespace(container);
  await expectUndone(lab, masked, container, ["front0"]);
});
