import type { Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import {
  attached,
  expectFailure,
  expectNothingLeft,
  expectPassed,
  expectSound,
  expectSuccess,
  expectUndone,
} from "./calls.ts";
import {
  creators,
  duplicate,
  expectLeftAlone,
  failNext,
  flaky,
  identity,
  installFlaky,
  journals,
  rebooted,
} from "./recovery-support.ts";
import { front, macvlan, named, wrapped, zone } from "./support.ts";

const late = { ...macvlan, master: "late0" };
const lists = {
  "the first creator's master": zone(wrapped(late), wrapped(front, "eth1")),
  "the second creator's master": zone(wrapped(front), wrapped(late, "eth1")),
};

describe("the host was rebooted, with the leases and libcni's cache kept", () => {
  test("ADD passes", async ({ lab }) => {
    const list = creators();
    const old = await attached(lab, lab.goCni, list);
    const container = await rebooted(lab, old, "disc0");
    expect(await lab.kernel.leases()).toEqual(["zone/172.16.5.2", "zone-eth1/172.26.64.2"]);
    expectSuccess(await lab.goCni.add(list, container));
    expectSuccess(await lab.goCni.check(list, container));
    expect(await lab.kernel.leases()).toHaveLength(2);
    await expectUndone(lab, list, container, ["disc0"]);
  });

  test("the plain plugin fails", async ({ lab }) => {
    const list = zone(macvlan);
    const container = await rebooted(lab, await attached(lab, lab.goCni, list));
    expectFailure(await lab.goCni.add(list, container), duplicate);
  });
});

test.for(Object.entries(lists))(
  "after a reboot %s is missing for two tries: ADD gives the addresses of before",
  async ([_, list], { lab }) => {
    await addLate(lab);
    // Another container had the first addresses.
    const neighbour = await attached(lab, lab.goCni, list, "c1");
    const old = await attached(lab, lab.goCni, list, "c2");
    const addresses = await lab.kernel.allAddresses(old);
    expectPassed(await lab.goCni.del(list, neighbour));
    const container = await rebooted(lab, old, "front0", "late0");
    for (const __ of [1, 2]) expectFailure(await lab.goCni.add(list, container), /Link not found|late0/);
    await addLate(lab);
    expectPassed(await lab.goCni.add(list, container));
    expect(await lab.kernel.allAddresses(container)).toEqual(addresses);
    expect(await lab.kernel.leases()).toHaveLength(2);
    expectPassed(await lab.goCni.check(list, container));
    expectPassed(await lab.goCni.del(list, container));
    await lab.ip(undefined, "link", "delete", "late0");
    await expectNothingLeft(lab, ["front0"]);
  },
);

test.for([
  ["", []],
  [", and libcni's results went with it", ["/var/lib/cni/results"]],
] as const)(
  "after a reboot the last plugin fails twice%s: ADD gives the addresses of before",
  async ([_, gone], { lab }) => {
    await installFlaky(lab);
    const list = zone(wrapped(macvlan), wrapped(front, "eth1"), flaky);
    const neighbour = await attached(lab, lab.goCni, list, "c1");
    const old = await attached(lab, lab.goCni, list, "c2");
    const addresses = await lab.kernel.allAddresses(old);
    expectPassed(await lab.goCni.del(list, neighbour));
    const container = await rebooted(lab, old, "front0");
    await lab.run("rm", ["-rf", ...gone]);
    await failNext(lab, 2);
    for (const __ of [1, 2]) expectFailure(await lab.goCni.add(list, container), /not now/);
    expectPassed(await lab.goCni.add(list, container));
    expect(await lab.kernel.allAddresses(container)).toEqual(addresses);
    await expectSound(lab, list, container, ["front0"]);
  },
);

test("before a reboot another network had eth1, and has a record and a result: a failed ADD is repaired", async ({
  lab,
}) => {
  await installFlaky(lab);
  const other = named("other", wrapped(front, "eth1"));
  const list = creators({}, flaky);
  const container = await rebooted(lab, await attached(lab, lab.goCni, other), "front0");
  await failNext(lab);
  expectFailure(await lab.goCni.add(list, container), /not now/);
  expectPassed(await lab.goCni.add(list, container));
  expectPassed(await lab.goCni.check(list, container));
  expectPassed(await lab.goCni.del(list, container));
  await expectUndone(lab, other, container, ["disc0"]);
});

// A runtime may keep libcni's results in another directory.
test("a live attachment with its result in another directory: another ADD fails like the plain plugin's, and touches nothing", async ({
  lab,
}) => {
  const list = zone(wrapped(macvlan), wrapped(front, "eth1"));
  const container = await attached(lab, lab.goCni, list);
  await lab.run("mv", ["/var/lib/cni/results", "/var/lib/cni/elsewhere"]);
  // 16 minutes of uptime ago.
  const [journal = ""] = await lab.kernel.journals();
  const text = await lab.readFile(`${journals}/${journal}`);
  const older = text.replace(/"uptime":([0-9.]+)/g, (_, uptime) => `"uptime":${Number(uptime) - 960}`);
  await lab.writeFile(`${journals}/${journal}`, older);
  const second = await identity(lab, container, "eth1");
  await expectLeftAlone(lab, container, "eth0", () => lab.goCni.add(list, container));
  expect(await identity(lab, container, "eth1")).toEqual(second);
  expectFailure(await lab.goCni.add(list, container), /exists/);
  await lab.run("mv", ["/var/lib/cni/elsewhere", "/var/lib/cni/results"]);
  await expectSound(lab, list, container, ["front0"]);
});

async function addLate(lab: Lab): Promise<void> {
  await lab.ip(undefined, "link", "add", "late0", "type", "veth", "peer", "name", "late1");
}
