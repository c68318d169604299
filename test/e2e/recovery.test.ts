import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Container, Lab, type Outcome } from "../support/lab.ts";
import type { NetworkList } from "../support/runtime.ts";
import {
  attached,
  bridge,
  expectFailure,
  expectNothingLeft,
  expectSuccess,
  macvlan,
  wrapped,
  zone,
} from "./support.ts";

const plugins = "1.9.1";
const records = "/var/lib/cni/wrappers";
const duplicate = /172\.16\.5\.2 has been allocated to c1, duplicate allocation is not allowed/;
const exists = /file exists|already exists/;

describe("ADD is tried again without a DEL between", () => {
  test("after the last plugin of the list failed: it passes", async () => {
    await using lab = await Lab.start({ plugins });
    const [list, container] = await failedOnce(lab);
    expectSuccess(await lab.goCni.add(list, container));
    expect(await lab.kernel.linkNames(container)).toEqual(["lo", "eth0", "eth1"]);
    expect(await lab.kernel.leases()).toHaveLength(2);
    expectSuccess(await lab.goCni.check(list, container));
    expectSuccess(await lab.goCni.del(list, container));
    await expectNothingLeft(lab, ["disc0"]);
  });

  test("the plain plugins never pass", async () => {
    await using lab = await Lab.start({ plugins });
    await installFlaky(lab);
    const list = zone("1.0.0", macvlan, { type: "flaky" });
    const container = await lab.addContainer("c1");
    expectFailure(await lab.goCni.add(list, container), /not now/);
    expectFailure(await lab.goCni.add(list, container), exists);
    expectFailure(await lab.goCni.add(list, container), exists);
  });

  test("after a plugin failed and left its interface behind: it passes", async () => {
    await using lab = await Lab.start({ plugins });
    const container = await lab.addContainer("c1");
    const broken = zone("1.0.0", { ...wrapped(macvlan), ipam: { type: "nowhere" } });
    expectFailure(await lab.goCni.add(broken, container), /failed to find plugin "nowhere"/);
    expect(await lab.kernel.linkNames(container)).toEqual(["lo", "eth0"]);
    const list = zone("1.0.0", wrapped(macvlan));
    expectSuccess(await lab.goCni.add(list, container));
    expectSuccess(await lab.goCni.check(list, container));
  });

  test("after the wrapper was killed while its delegate ran: it passes", async () => {
    await using lab = await Lab.start({ plugins });
    await install(lab, "macvlan-that-kills", '/opt/cni/bin/macvlan; [ "$CNI_COMMAND" != ADD ] || kill -9 $PPID');
    const list = zone("1.0.0", { ...wrapped(macvlan), wrapper: { delegate: "macvlan-that-kills", role: "creator" } });
    const container = await lab.addContainer("c1");
    expectFailure(await lab.goCni.add(list, container), /signal: killed/);
    expect(await lab.kernel.linkNames(container)).toEqual(["lo", "eth0"]);
    await install(lab, "macvlan-that-kills", "exec /opt/cni/bin/macvlan");
    expectSuccess(await lab.goCni.add(list, container));
    expectSuccess(await lab.goCni.check(list, container));
  });

  test("the second answer counts, and the first is logged", async () => {
    await using lab = await Lab.start({ plugins });
    const [list, container] = await failedOnce(lab, { log: { file: "/run/lab/log" } });
    expectSuccess(await lab.goCni.add(list, container));
    const log = (await lab.readFile("/run/lab/log")).trim().split("\n");
    const lines = log.map((line) => JSON.parse(line));
    const repairs = lines.filter(({ level }) => level === "warn");
    expect(repairs).toMatchObject([
      {
        ifName: "eth0",
        message: "ADD failed after an earlier try: running DEL and ADD once more",
      },
      {
        ifName: "eth1",
        message: "ADD failed after an earlier try: running DEL and ADD once more",
      },
    ]);
    expect(lines.find(({ level }) => level === "error")?.msg).toMatch(exists);
  });

  test('with "never" the error is returned, and nothing changes', async () => {
    await using lab = await Lab.start({ plugins });
    const [list, container] = await failedOnce(lab, { recover: "never" });
    const before = await lab.kernel.link(container, "eth0");
    expectFailure(await lab.goCni.add(list, container), exists);
    expect(await lab.kernel.link(container, "eth0")).toEqual(before);
    expect(await lab.readdir(records)).toHaveLength(2);
  });
});

describe("the host was rebooted, with the leases and libcni's cache kept", () => {
  test("ADD passes", async () => {
    await using lab = await Lab.start({ plugins });
    const list = twoInterfaces();
    const old = await attached(lab, lab.goCni, list);
    const container = await rebooted(lab, old);
    expect(await lab.kernel.leases()).toEqual(["zone/172.16.5.2", "zone-eth1/172.26.64.2"]);
    expectSuccess(await lab.goCni.add(list, container));
    expectSuccess(await lab.goCni.check(list, container));
    expect(await lab.kernel.leases()).toHaveLength(2);
    expectSuccess(await lab.goCni.del(list, container));
    await expectNothingLeft(lab, ["disc0"]);
  });

  test("ADD passes at the second try, if the last plugin fails at the first", async () => {
    await using lab = await Lab.start({ plugins });
    await installFlaky(lab);
    await lab.run("mkdir", ["/run/lab/flaked"]);
    const list = twoInterfaces({}, { type: "flaky" });
    const container = await rebooted(lab, await attached(lab, lab.goCni, list));
    await lab.run("rmdir", ["/run/lab/flaked"]);
    expectFailure(await lab.goCni.add(list, container), /not now/);
    expectSuccess(await lab.goCni.add(list, container));
    expectSuccess(await lab.goCni.check(list, container));
  });

  test("the plain plugin fails", async () => {
    await using lab = await Lab.start({ plugins });
    const list = zone("1.0.0", macvlan);
    const container = await rebooted(lab, await attached(lab, lab.goCni, list));
    expectFailure(await lab.goCni.add(list, container), duplicate);
  });
});

describe("the namespace of a live attachment was made again", () => {
  test("every ADD fails, and the live one is untouched", async () => {
    await using lab = await Lab.start({ plugins });
    const list = twoInterfaces();
    const [container, live] = await recreated(lab, await attached(lab, lab.goCni, list));
    const before = await lab.kernel.links(live);
    expectFailure(await lab.goCni.add(list, container), duplicate);
    // macvlan leaves its interface behind if its IPAM plugin fails.
    expectFailure(await lab.goCni.add(list, container), exists);
    expectFailure(await lab.goCni.add(list, container), exists);
    expect(await lab.kernel.links(live)).toEqual(before);
    expect(await lab.kernel.leases()).toEqual(["zone/172.16.5.2", "zone-eth1/172.26.64.2"]);
  });

  test('with "always" ADD passes', async () => {
    await using lab = await Lab.start({ plugins });
    const list = twoInterfaces({ recover: "always" });
    const [container] = await recreated(lab, await attached(lab, lab.goCni, list));
    expectSuccess(await lab.goCni.add(list, container));
    expectSuccess(await lab.goCni.check(list, container));
  });

  test("without a record, as from before the wrappers, every ADD fails", async () => {
    await using lab = await Lab.start({ plugins });
    const [container] = await recreated(lab, await attached(lab, lab.goCni, zone("1.0.0", macvlan)));
    const list = zone("1.0.0", wrapped(macvlan));
    expectFailure(await lab.goCni.add(list, container), duplicate);
    expectFailure(await lab.goCni.add(list, container), exists);
    expectFailure(await lab.goCni.add(list, container), exists);
  });
});

describe("other attachments are left alone, and ADD fails as the plain one does", () => {
  test.each(["wrapped", "plain"])("an ADD of a live attachment (%s)", async (kind) => {
    await using lab = await Lab.start({ plugins });
    const list = zone("1.0.0", kind === "plain" ? macvlan : wrapped(macvlan));
    const container = await attached(lab, lab.goCni, list);
    await failsThrice(lab, container, "eth0", () => lab.goCni.add(list, container));
    expectSuccess(await lab.goCni.check(list, container));
  });

  test("the same network attached twice, as eth0 and as net1", async () => {
    await using lab = await Lab.start({ plugins });
    const list = zone("1.0.0", wrapped(bridge, "eth1"));
    const container = await lab.addContainer("c1");
    expectSuccess(await lab.cnitool.add(list, container));
    await failsThrice(lab, container, "eth1", () => lab.cnitool.addAs("net1", list, container));
    expectSuccess(await lab.cnitool.check(list, container));
  });

  test("another network that wants the same interface name", async () => {
    await using lab = await Lab.start({ plugins });
    const list = zone("1.0.0", wrapped(bridge));
    const container = await attached(lab, lab.goCni, list);
    const other = { ...zone("1.0.0", wrapped(macvlan)), name: "other" };
    await failsThrice(lab, container, "eth0", () => lab.goCni.add(other, container));
    expectSuccess(await lab.goCni.check(list, container));
  });

  test("an interface that somebody else made", async () => {
    await using lab = await Lab.start({ plugins });
    const container = await lab.addContainer("c1");
    await lab.ip(container, "link", "add", "eth1", "type", "veth", "peer", "name", "theirs");
    await failsThrice(lab, container, "eth1", () => lab.goCni.add(twoInterfaces(), container));
  });

  test("a live neighbour's lease", async () => {
    await using lab = await Lab.start({ plugins });
    const list = zone("1.0.0", wrapped(macvlan));
    const neighbour = await attached(lab, lab.goCni, list, "c2");
    const container = await lab.addContainer("c1");
    const asked = { labels: { IgnoreUnknown: "true", IP: "172.16.5.2" } };
    for (const _ of [1, 2, 3]) {
      expectFailure(await lab.goCni.add(list, container, asked), /requested IP address 172\.16\.5\.2 is not available/);
    }
    expect(await lab.kernel.leases()).toEqual(["zone/172.16.5.2"]);
    expectSuccess(await lab.goCni.check(list, neighbour));
  });
});

describe("the records", () => {
  test("are one for each interface and each meta plugin, and DEL removes them", async () => {
    await using lab = await Lab.start({ plugins });
    const list = twoInterfaces({}, { ...wrapped({ type: "tuning" }), wrapper: { role: "meta", ifName: "eth1" } });
    const container = await attached(lab, lab.goCni, list);
    expect(await lab.readdir(records)).toEqual([
      "zone:c1:eth0:eth0",
      "zone:c1:eth0:eth1",
      expect.stringMatching(/^zone:c1:eth0:eth1:tuning-[0-9a-f]+$/),
    ]);
    expectSuccess(await lab.goCni.del(list, container));
    expect(await lab.readdir(records)).toEqual([]);
  });

  test("of invalid attachments are removed by GC, with their leases", async () => {
    await using lab = await Lab.start({ plugins });
    const list = { ...twoInterfaces(), cniVersion: "1.1.0" };
    const container = await attached(lab, lab.goCni, list, "c1");
    await attached(lab, lab.goCni, list, "c2");
    // libcni runs DEL for the attachments in its cache: it forgot c1.
    await lab.run("rm", ["/var/lib/cni/results/zone-c1-eth0"]);
    const gc = () => lab.goCni.gc(list, [{ containerID: "c2", ifname: "eth0" }]);
    expectSuccess(await gc());
    // Its namespace still exists, so it may belong to another runtime.
    expect(await lab.readdir(records)).toHaveLength(4);
    await lab.deleteNamespace(container);
    expectSuccess(await gc());
    expect(await lab.readdir(records)).toEqual(["zone:c2:eth0:eth0", "zone:c2:eth0:eth1"]);
    expect(await lab.kernel.leases()).toEqual(["zone/172.16.5.3", "zone-eth1/172.26.64.3"]);
  });

  test.each([
    ["is read-only", ["mount", "-t", "tmpfs", "-o", "ro", "lab", records]],
    ["is full", ["mount", "-t", "tmpfs", "-o", "nr_inodes=1", "lab", records]],
    ["cannot be made", ["sh", "-c", `rmdir ${records}; touch ${records}`]],
  ])("cannot be written because their directory %s: ADD passes, and the log says so", async (_, [command, ...args]) => {
    await using lab = await Lab.start({ plugins });
    await lab.run("mkdir", ["-p", records]);
    await lab.run(command ?? "", args);
    const list = twoInterfaces({ log: { file: "/run/lab/log" } });
    const container = await attached(lab, lab.goCni, list);
    expect(await lab.readFile("/run/lab/log")).toContain("recovery is off: cannot write the record");
    expectSuccess(await lab.goCni.del(list, container));
  });
});

/** The two-interface list with more keys under each creator's `wrapper`. */
function twoInterfaces(wrapper: object = {}, ...more: Record<string, unknown>[]): NetworkList {
  const first = { ...wrapped(macvlan), wrapper };
  const second = { ...wrapped(bridge), wrapper: { ifName: "eth1", ...wrapper } };
  return zone("1.0.0", first, second, ...more);
}

/** Runs an ADD in which the list's last plugin fails once. Returns the list and the container. */
async function failedOnce(lab: Lab, wrapper: object = {}): Promise<[NetworkList, Container]> {
  await installFlaky(lab);
  const list = twoInterfaces(wrapper, { type: "flaky" });
  const container = await lab.addContainer("c1");
  expectFailure(await lab.goCni.add(list, container), /not now/);
  return [list, container];
}

/** A plugin that fails its first ADD, and then runs tuning. */
async function installFlaky(lab: Lab): Promise<void> {
  const failure = `echo '{"cniVersion": "1.0.0", "code": 11, "msg": "not now"}'; exit 1`;
  await install(
    lab,
    "flaky",
    `if [ "$CNI_COMMAND" = ADD ] && mkdir /run/lab/flaked 2>/dev/null; then ${failure}; fi; exec /opt/cni/bin/tuning`,
  );
}

async function install(lab: Lab, plugin: string, script: string): Promise<void> {
  await lab.writeFile(`/opt/cni/bin/${plugin}`, `#!/bin/sh\n${script}\n`);
  await lab.run("chmod", ["+x", `/opt/cni/bin/${plugin}`]);
}

/** Does what a reboot does: another boot id, no namespaces and interfaces. The files stay. */
async function rebooted(lab: Lab, old: Container): Promise<Container> {
  await lab.deleteNamespace(old);
  // The kernel removes the interfaces of a namespace later.
  await expect.poll(() => lab.kernel.linkNames()).not.toContainEqual(expect.stringMatching(/^veth/));
  await lab.run("sh", ["-c", "ip link delete disc0 2>/dev/null || true"]);
  await lab.writeFile("/run/lab/boot_id", `${randomUUID()}\n`);
  await lab.run("mount", ["--bind", "/run/lab/boot_id", "/proc/sys/kernel/random/boot_id"]);
  return lab.addContainer(old.name);
}

/** Makes a new namespace under the old one's name, as Nomad does. A process keeps the old one, as a live task does. */
async function recreated(lab: Lab, old: Container): Promise<[Container, Container]> {
  const live = { name: "live", netns: "/run/netns/live" };
  await lab.run("touch", [live.netns]);
  await lab.run("mount", ["--bind", old.netns, live.netns]);
  await lab.deleteNamespace(old);
  return [await lab.addContainer(old.name), live];
}

/** Expects that every ADD fails because of the existing interface, and that the interface does not change. */
async function failsThrice(lab: Lab, where: Container, ifName: string, add: () => Promise<Outcome>): Promise<void> {
  const before = await lab.kernel.link(where, ifName);
  for (const _ of [1, 2, 3]) expectFailure(await add(), exists);
  expect(await lab.kernel.link(where, ifName)).toEqual(before);
}
