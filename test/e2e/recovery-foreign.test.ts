import type { Container, Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import { expectFailure, expectNothingLeft, expectPassed, expectSound } from "./calls.ts";
import { expectLeftAlone, identity, installPlugin } from "./recovery-support.ts";
import { bridge, front, hostLocal, macvlan, named, wrapped, zone } from "./support.ts";

// Recovery deletes what this attachment's own failed try made, and no other interface of that name.

const late = { ...macvlan, master: "late0", ipam: hostLocal("172.16.6.0/24") };
const other = named("other", wrapped({ ...bridge, bridge: "other0" }, "eth1"));

/** Other programs that make an eth1 in a container. */
const others: Readonly<Record<string, (lab: Lab, container: Container) => Promise<unknown>>> = {
  "another network by the same runtime": async (lab, container) => {
    expectPassed(await lab.goCni.add(other, container));
  },
  "another network, whose result lies where nobody looks": async (lab, container) => {
    expectPassed(await lab.goCni.add(other, container));
    await lab.run("rm", [`/var/lib/cni/results/other-${container.name}-eth0`]);
  },
  "another runtime": async (lab, container) => {
    expectPassed(await lab.cnitool.addAs("eth1", named("other", bridge), container));
  },
  "an operator": (lab, container) => lab.ip(container, "link", "add", "eth1", "type", "veth", "peer", "name", "far1"),
};

describe("the master is missing at the first ADD, and eth1 is somebody else's at the next", () => {
  test("ADD fails every time, and theirs is untouched", async ({ lab }) => {
    const listOf = (recover: string) =>
      zone(wrapped(front), { ...wrapped(late), wrapper: { ifName: "eth1", recover } });
    const containers = await Promise.all(Object.keys(others).map((_, index) => lab.addContainer(`c${index}`)));
    for (const each of containers) expectFailure(await lab.goCni.add(listOf("own"), each), /Link not found|late0/);
    for (const [index, attach] of Object.values(others).entries()) await attach(lab, containers[index] as Container);
    await lab.ip(undefined, "link", "add", "late0", "type", "veth", "peer", "name", "late1");
    for (const each of containers) {
      const own = await lab.kernel.addresses(each, "eth0");
      const modes = ["own", "always"];
      await expectLeftAlone(lab, each, "eth1", () => lab.goCni.add(listOf(modes.shift() ?? "own"), each));
      // The first creator's interface belongs to this attachment, and is repaired every time.
      expect(await lab.kernel.addresses(each, "eth0")).toEqual(own);
    }
  });

  test("nobody is there at the next: ADD passes, with the first creator's address", async ({ lab, container }) => {
    const list = zone(wrapped(front), wrapped(late, "eth1"));
    for (const _ of [1, 2]) expectFailure(await lab.goCni.add(list, container), /Link not found|late0/);
    await lab.ip(undefined, "link", "add", "late0", "type", "veth", "peer", "name", "late1");
    expectPassed(await lab.goCni.add(list, container));
    expect(await lab.kernel.addresses(container, "eth0")).toEqual(["172.30.0.2/20"]);
    expectPassed(await lab.goCni.check(list, container));
    expectPassed(await lab.goCni.del(list, container));
    await lab.ip(undefined, "link", "delete", "late0");
    await expectNothingLeft(lab, ["front0"]);
  });
});

describe("the wrapper is killed while its delegate runs", () => {
  test("after the delegate made the interface: the next ADD passes", async ({ lab, container }) => {
    const list = await killing(lab, '/opt/cni/bin/macvlan; [ "$CNI_COMMAND" != ADD ] || kill -9 $PPID');
    expectFailure(await lab.goCni.add(list, container), /signal: killed/);
    expect(await lab.kernel.linkNames(container)).toEqual(["lo", "eth0", "eth1"]);
    await killing(lab, "exec /opt/cni/bin/macvlan");
    expectPassed(await lab.goCni.add(list, container));
    expect(await lab.kernel.leases()).toHaveLength(2);
    await expectSound(lab, list, container, ["front0"]);
  });

  test("before it made one, and then eth1 is somebody else's: ADD fails, and theirs is untouched", async ({ lab }) => {
    const list = await killing(lab, '[ "$CNI_COMMAND" != ADD ] || kill -9 $PPID; exit 1');
    const titles = ["another network by the same runtime", "another network, whose result lies where nobody looks"];
    const containers = await Promise.all(titles.map((_, index) => lab.addContainer(`c${index}`)));
    for (const container of containers) expectFailure(await lab.goCni.add(list, container), /signal: killed/);
    for (const [index, title] of titles.entries()) await others[title]?.(lab, containers[index] as Container);
    await killing(lab, "exec /opt/cni/bin/macvlan");
    for (const each of containers) await expectLeftAlone(lab, each, "eth1", () => lab.goCni.add(list, each));
  });

  test("before it made one, and an eth1 was there before: ADD fails, and that is untouched", async ({
    lab,
    container,
  }) => {
    const list = await killing(lab, '[ "$CNI_COMMAND" != ADD ] || kill -9 $PPID; exit 1');
    await others["an operator"]?.(lab, container);
    expectFailure(await lab.goCni.add(list, container), /signal: killed/);
    await killing(lab, "exec /opt/cni/bin/macvlan");
    await expectLeftAlone(lab, container, "eth1", () => lab.goCni.add(list, container));
  });
});

test("names that hyphens could join to one, a + b-c and a-b + c: each has its own journal", async ({ lab }) => {
  const { netns } = await lab.addContainer("c1");
  const lists = ["a", "a-b"].map((name) => ({ ...zone(wrapped(macvlan), { type: "flaky" }), name }));
  const [one, two] = lists as [(typeof lists)[0], (typeof lists)[0]];
  await installPlugin(lab, "flaky", '[ "$CNI_COMMAND" != ADD ] || exit 1');
  const [ours, theirs] = [
    { name: "b-c", netns },
    { name: "c", netns },
  ];
  const inside = { name: "c1", netns };
  expect(await lab.goCni.add(one, ours)).toMatchObject({ exitCode: 1 });
  const before = await identity(lab, inside, "eth0");
  for (const _ of [1, 2]) expectFailure(await lab.goCni.add(two, theirs), /exists/);
  expect(await lab.kernel.journals()).toEqual(["b-c/a:eth0", "c/a-b:eth0"]);
  expectPassed(await lab.goCni.del(two, theirs));
  expect(await lab.kernel.journals()).toEqual(["b-c/a:eth0"]);
  expect(await identity(lab, inside, "eth0")).toEqual(before);
  await installPlugin(lab, "flaky", "exec /opt/cni/bin/tuning");
  expectPassed(await lab.goCni.add(one, ours));
  expectPassed(await lab.goCni.check(one, ours));
});

/** Installs a shell script as a plugin. Returns a list in which it makes eth1 after a wrapper. */
async function killing(lab: Lab, script: string) {
  await installPlugin(lab, "killing", script);
  const wrapper = { ifName: "eth1", delegate: "killing", role: "creator" };
  return zone(wrapped(front), { ...wrapped(macvlan), wrapper });
}
