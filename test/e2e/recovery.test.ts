import type { Container, Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import type { NetworkList } from "../support/runtime.ts";
import { expectFailure, expectSound, expectSuccess } from "./calls.ts";
import { creators, exists, failNext, flaky, installFlaky } from "./recovery-support.ts";
import { macvlan, wrapped, zone } from "./support.ts";

describe("ADD is tried again without a DEL between", () => {
  test("after the last plugin of the list failed: it passes", async ({ lab }) => {
    const [list, container] = await failedOnce(lab);
    await expectRecovered(lab, list, container);
  });

  test("the plain plugins never pass", async ({ lab, container }) => {
    await installFlaky(lab);
    await failNext(lab);
    const list = zone(macvlan, flaky);
    expectFailure(await lab.goCni.add(list, container), /not now/);
    expectFailure(await lab.goCni.add(list, container), exists);
    expectFailure(await lab.goCni.add(list, container), exists);
  });

  test("after a plugin failed and left its interface behind: it passes", async ({ lab, container }) => {
    const broken = zone({ ...wrapped(macvlan), ipam: { type: "nowhere" } });
    expectFailure(await lab.goCni.add(broken, container), /failed to find plugin "nowhere"/);
    expect(await lab.kernel.linkNames(container)).toEqual(["lo", "eth0"]);
    const list = zone(wrapped(macvlan));
    expectSuccess(await lab.goCni.add(list, container));
    expectSuccess(await lab.goCni.check(list, container));
  });

  test("in a namespace whose path is a link to a process's: it passes", async ({ lab }) => {
    await installFlaky(lab);
    await failNext(lab);
    const container = await namespaceOfProcess(lab, "c1");
    const list = creators({}, flaky);
    expectFailure(await lab.goCni.add(list, container), /not now/);
    await expectRecovered(lab, list, container);
  });

  test("the log says that the first try is undone, once", async ({ lab }) => {
    const [list, container] = await failedOnce(lab, { log: { file: "/run/lab/log" } });
    expectSuccess(await lab.goCni.add(list, container));
    const log = (await lab.readFile("/run/lab/log")).trim().split("\n");
    const lines = log.map((line) => JSON.parse(line));
    const repairs = lines.filter(({ level }) => level === "warn");
    expect(repairs).toMatchObject([
      { ifName: "eth0", message: "an earlier try was not completed: undoing it before ADD" },
    ]);
    expect(lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  test('with "never" the error is returned, and nothing changes', async ({ lab }) => {
    const [list, container] = await failedOnce(lab, { recover: "never" });
    const before = await lab.kernel.link(container, "eth0");
    expectFailure(await lab.goCni.add(list, container), exists);
    expect(await lab.kernel.link(container, "eth0")).toEqual(before);
    expect(await lab.kernel.journals()).toHaveLength(1);
  });
});

/** Runs an ADD in which the list's last plugin fails once. Returns the list and the container. */
async function failedOnce(lab: Lab, wrapper: object = {}): Promise<[NetworkList, Container]> {
  await installFlaky(lab);
  await failNext(lab);
  const list = creators(wrapper, flaky);
  const container = await lab.addContainer("c1");
  expectFailure(await lab.goCni.add(list, container), /not now/);
  return [list, container];
}

/** The next ADD passes, CHECK too, and DEL leaves nothing. */
async function expectRecovered(lab: Lab, list: NetworkList, container: Container): Promise<void> {
  expectSuccess(await lab.goCni.add(list, container));
  expect(await lab.kernel.linkNames(container)).toEqual(["lo", "eth0", "eth1"]);
  expect(await lab.kernel.leases()).toHaveLength(2);
  await expectSound(lab, list, container, ["disc0"]);
}

/** Starts a process in a namespace of its own, and links that as people do for docker. */
async function namespaceOfProcess(lab: Lab, name: string): Promise<Container> {
  await lab.run("mkdir", ["-p", "/run/netns"]);
  void lab.start(
    "unshare",
    ["--net", "sh", "-c", `ln -s /proc/$$/ns/net /run/netns/${name}; sleep 600`],
    "/run/lab/sleep",
  );
  await expect.poll(() => lab.readdir("/run/netns")).toEqual([name]);
  return { name, netns: `/run/netns/${name}` };
}
