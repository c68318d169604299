import { describe, expect, test } from "../support/lab-test.ts";
import { attached, expectFailure, expectSound, expectSuccess, expectUndone } from "./calls.ts";
import { bridge, hostLocal, macvlan, twoInterfaces, wrapped, zone } from "./support.ts";

const list = twoInterfaces();

describe("DEL succeeds and leaves nothing behind", () => {
  test("the second time, too, and frees the names and addresses for the next ADD", async ({ lab }) => {
    const container = await attached(lab, lab.runtime, list);
    expectSuccess(await lab.runtime.del(list, container));
    await expectUndone(lab, list, container, ["disc0"], lab.runtime);
    expectSuccess(await lab.runtime.add(list, container));
    expectSuccess(await lab.runtime.check(list, container));
    expect(await lab.kernel.leases()).toEqual(["zone/172.16.5.3", "zone-eth1/172.26.64.3"]);
  });

  test("after an ADD that failed in the second plugin, and takes nothing from another container", async ({ lab }) => {
    const oneAddress = { ...bridge, ipam: hostLocal("172.26.64.0/30") };
    const small = zone(wrapped(macvlan), wrapped(oneAddress, "eth1"));
    const first = await attached(lab, lab.runtime, small);
    const second = await lab.addContainer("c2");
    expectFailure(
      await lab.runtime.add(small, second),
      'plugin type="bridge-wrapper" failed (add): failed to allocate for range 0: ' +
        "no IP addresses available in range set: 172.26.64.1-172.26.64.2",
    );
    expectSuccess(await lab.runtime.del(small, second));
    expect(await lab.kernel.linkNames(second)).toEqual(["lo"]);
    expect(await lab.kernel.leases()).toEqual(["zone/172.16.5.2", "zone-eth1/172.26.64.2"]);
    await expectSound(lab, small, first, ["disc0"], lab.runtime);
  });
});

test("DEL with an empty CNI_NETNS succeeds, and frees the leases", async ({ lab }) => {
  const container = await attached(lab, lab.goCni, list);
  expectSuccess(await lab.goCni.del(list, { ...container, netns: "" }));
  expect(await lab.kernel.leases()).toEqual([]);
  expect(await lab.kernel.cachedResults()).toEqual([]);
  // The interfaces are gone with the namespace, so the plugins cannot look for them.
  expect(await lab.kernel.linkNames(container)).toEqual(["lo", "eth0", "eth1"]);
});
