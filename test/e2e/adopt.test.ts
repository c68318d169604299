import { readFileSync } from "node:fs";
import path from "node:path";
import { type Container, Lab } from "../support/lab.ts";
import { describe, expect, test } from "../support/lab-test.ts";
import { attached, expectFailure, expectSuccess } from "./calls.ts";
import { bridge, macvlan, named, twoInterfaces, wrapped, zone } from "./support.ts";

const list = twoInterfaces();

/** A container that an older script attached: it made eth1 and forgot to say so, and no journal is left. */
async function attachedByAForgetfulScript(lab: Lab, name: string, plugin = bridge): Promise<Container> {
  const container = await attached(lab, lab.cnitool, zone(macvlan), name);
  expectSuccess(await lab.cnitool.addAs("eth1", zone(plugin), container));
  await lab.run("sh", ["-c", "rm /var/lib/cni/results/zone-*-eth1"]);
  return container;
}

async function withList(lab: Lab, plugins = list): Promise<void> {
  await lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(plugins));
}

/** Replaces the MACs and the names of veths, which are chosen by chance. */
function withoutChance(text: string): string {
  return text.replace(/[0-9a-f]{2}(:[0-9a-f]{2}){5}/g, "02:00:00:00:00:01").replace(/veth[0-9a-f]{8}/g, "veth0a1b2c3d");
}

function run(lab: Lab, ...args: string[]) {
  return lab.call(Lab.command, args);
}

/** The files of libcni, host-local and the wrappers with their checksums. host-local makes a lock even for CHECK. */
function files(lab: Lab): Promise<string> {
  const search = "find /var/lib/cni -path /var/lib/cni/adopted -prune -o -type f ! -name lock ! -name 'last_*' -print";
  return lab.run("sh", ["-c", `${search} | sort | xargs -r sha256sum`]);
}

describe("adopt", () => {
  test("completes the result of an interface that a script forgot: CHECK and DEL then pass", async ({ lab }) => {
    const container = await attachedByAForgetfulScript(lab, "c1");
    await withList(lab);
    expectFailure(
      await lab.cnitool.check(list, container),
      /^interface eth1 is not in prevResult; prevResult has eth0/,
    );
    const before = await files(lab);
    const proposed = await run(lab, "adopt");
    expect(proposed).toMatchObject({ exitCode: 1, stderr: "" });
    expect(proposed.stdout).toMatch(/^\+ {5,}"address": "172\.26\.64\.2\/20"/m);
    expect(proposed.stdout).toMatch(/\n0 pass CHECK, 1 can be adopted, 0 cannot be helped$/);
    expect(await files(lab)).toBe(before);

    expect(await run(lab, "adopt", "--write")).toMatchObject({ exitCode: 0, stderr: "" });
    expectSuccess(await lab.cnitool.check(list, container));
    expect(await lab.kernel.addresses(container, "eth0")).toEqual(["172.16.5.2/24"]);
    expect(await lab.kernel.addresses(container, "eth1")).toEqual(["172.26.64.2/20"]);
    await lab.ip(container, "address", "flush", "dev", "eth1");
    expectFailure(await lab.cnitool.check(list, container), "Failed to match addr 172.26.64.2/20 on interface eth1");
    expectSuccess(await lab.cnitool.del(list, container));
    expect(await files(lab)).toBe("");
  });

  test("the samples of preflight and adopt in docs/commands.md are real", async ({ lab }) => {
    await attachedByAForgetfulScript(lab, "c1");
    const wrappedList = zone(wrapped(macvlan), wrapped(bridge, "eth1"));
    expectSuccess(await lab.cnitool.add(wrappedList, await lab.addContainer("c2")));
    await withList(lab);
    const page = readFileSync(path.resolve(import.meta.dirname, "../../docs/commands.md"), "utf8");
    const preflight = withoutChance((await run(lab, "preflight")).stdout);
    expect(page).toContain(`\n$ cni-wrappers preflight\n${preflight}\n\`\`\`\n`);
    const adopt = withoutChance((await run(lab, "adopt")).stdout).split("\n");
    expect(page).toContain(`\n$ cni-wrappers adopt | head -15\n${adopt.slice(0, 15).join("\n")}\n\`\`\`\n`);
  });

  test("takes only the addresses that a plugin gave: not a container's own, nor those of router advertisements", async ({
    lab,
  }) => {
    const container = await attachedByAForgetfulScript(lab, "c1");
    await withList(lab);
    // Another container may get the first two at any time.
    const foreign = [
      ["172.16.5.77/24", "dev", "eth0"],
      ["172.26.64.100/20", "dev", "eth1"],
      ["2001:db8::5/64", "dev", "eth1", "valid_lft", "3000", "preferred_lft", "2000"],
    ];
    for (const address of foreign) await lab.ip(container, "address", "add", ...address);
    expect(await run(lab, "adopt", "--write")).toMatchObject({ exitCode: 0, stderr: "" });
    const { ips } = await lab.kernel.cachedResult("zone", lab.cnitool.id(container));
    expect(ips?.map(({ address }) => address)).toEqual(["172.16.5.2/24", "172.26.64.2/20"]);
    const journals = await lab.run("sh", ["-c", "cat /var/lib/cni/wrappers/*/*"]);
    expect(journals).not.toMatch(/172\.16\.5\.77|172\.26\.64\.100|2001:db8::5/);
    for (const address of foreign) await lab.ip(container, "address", "delete", ...address.slice(0, 3));
    expectSuccess(await lab.cnitool.check(list, container));
  });

  test.for([
    ["without IPAM", { ipam: undefined, isGateway: false }, "172.16.5.77/24"],
    ["without IPAM, with IPv6", { ipam: undefined, isGateway: false }, "2001:db8::77/64"],
    ["with static", { ipam: { type: "static", addresses: [{ address: "10.7.0.5/24" }] } }, "172.16.5.77/24"],
  ] as const)(
    "takes no address from an interface without a lease, where a container may add its neighbour's: %s",
    async (row, { lab }) => {
      const [, changes, address] = row;
      const plugin = { ...bridge, ...changes };
      const container = await attachedByAForgetfulScript(lab, "c1", plugin);
      await withList(lab, zone(wrapped(macvlan), wrapped(plugin, "eth1")));
      await lab.ip(container, "address", "add", address, "dev", "eth1");
      await run(lab, "adopt", "--write");
      expect(await lab.run("sh", ["-c", "cat /var/lib/cni/results/* /var/lib/cni/wrappers/*/*"])).not.toContain(
        address.split("/")[0],
      );
    },
  );

  test("takes no interface's addresses that the list got after ADD: the container may have made it", async ({
    lab,
  }) => {
    const container = await attached(lab, lab.cnitool, zone(wrapped(macvlan)));
    const added = { type: "ptp", ipam: { type: "static", addresses: [{ address: "172.16.5.77/24" }] } };
    await withList(lab, zone(wrapped(macvlan), wrapped(added, "eth1")));
    for (const line of [
      "link add eth1 type veth peer name x",
      "link set eth1 up",
      "address add 172.16.5.77/24 dev eth1",
    ])
      await lab.ip(container, ...line.split(" "));
    await run(lab, "adopt", "--write");
    const { ips } = await lab.kernel.cachedResult("zone", lab.cnitool.id(container));
    expect(ips?.map(({ address }) => address)).toEqual(["172.16.5.2/24"]);
  });

  test.for([
    ["libcni's result", "rm -rf /var/lib/cni/networks/other /var/lib/cni/wrappers/*/other*"],
    ["the journal", "rm -rf /var/lib/cni/networks/other /var/lib/cni/results/other*"],
    ["the lease", "rm -rf /var/lib/cni/wrappers/*/other* /var/lib/cni/results/other*"],
  ] as const)("takes no address that %s of another container names", async ([_, lose], { lab }) => {
    const container = await attachedByAForgetfulScript(lab, "c1");
    // The same range on a link of its own: host-local gives the same address again.
    const other = { ...named("other", wrapped({ ...bridge, bridge: "other0", ipMasq: true })), cniVersion: "1.0.0" };
    expectSuccess(await lab.goCni.add(other, await lab.addContainer("c2")));
    await lab.run("sh", ["-c", lose]);
    await withList(lab);
    await run(lab, "adopt", "--write");
    const { ips } = await lab.kernel.cachedResult("zone", lab.cnitool.id(container));
    expect(ips?.map(({ address }) => address)).toEqual(["172.16.5.2/24"]);
  });

  test("takes no neighbour's veth for the other end of an interface that the container made itself", async ({
    lab,
  }) => {
    const neighbour = await attachedByAForgetfulScript(lab, "c1");
    const container = await attachedByAForgetfulScript(lab, "c2");
    const { name: elsewhere } = await lab.addContainer("c3");
    await withList(lab);
    const inside = await lab.kernel.link(neighbour, "eth1");
    const onHost = await lab.kernel.hostVeth(neighbour, "eth1");
    const [address = ""] = await lab.kernel.addresses(container, "eth1");
    await lab.ip(container, "link", "delete", "eth1");
    const peer = ["peer", "name", "x", "index", String(inside.link_index), "netns", elsewhere];
    await lab.ip(container, "link", "add", "eth1", "index", String(inside.ifindex), "type", "veth", ...peer);
    await lab.ip(container, "link", "set", "eth1", "up");
    await lab.ip(container, "address", "add", address, "dev", "eth1");
    await run(lab, "adopt", "--write");
    const names = async (one: Container) =>
      (await lab.kernel.cachedResult("zone", lab.cnitool.id(one))).interfaces?.map(({ name }) => name);
    expect(await names(neighbour)).toContain(onHost);
    expect(await names(container)).not.toContain(onHost);
  });

  test("proposes nothing where lsns(1) is missing, which tells the other end of a veth", async ({ lab }) => {
    await attachedByAForgetfulScript(lab, "c1");
    await withList(lab);
    const lsns = await lab.run("sh", ["-c", "command -v lsns"]);
    await lab.run("mount", ["--bind", "/dev/null", lsns]);
    const { exitCode, stdout } = await run(lab, "adopt");
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: expect.stringContaining("lsns(1) is missing") });
    await lab.run("umount", [lsns]);
    expect(await run(lab, "adopt")).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("1 can be adopted") });
  });

  test("asks lsns(1) again, which fails if any process of the host ends while it looks", async ({ lab }) => {
    await attachedByAForgetfulScript(lab, "c1");
    await withList(lab);
    const lsns = await lab.run("sh", ["-c", "command -v lsns"]);
    const failsOnce = `[ -e /run/asked ] && exec /run/real-lsns "$@"; touch /run/asked; exit 1`;
    await lab.run("cp", [lsns, "/run/real-lsns"]);
    await lab.run("sh", ["-ec", `echo '#!/bin/sh\n${failsOnce}' >/run/lsns; chmod +x /run/lsns`]);
    await lab.run("mount", ["--bind", "/run/lsns", lsns]);
    expect(await run(lab, "adopt")).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("1 can be adopted") });
    expect(await lab.call("test", ["-e", "/run/asked"])).toMatchObject({ exitCode: 0 });
  });

  test("--undo leaves a result that the list in place needs, and restores it under a list that asks nobody", async ({
    lab,
  }) => {
    const container = await attachedByAForgetfulScript(lab, "c1");
    await withList(lab);
    const before = await files(lab);
    expect(await run(lab, "adopt", "--write")).toMatchObject({ exitCode: 0, stderr: "" });
    const adopted = await files(lab);
    expect(adopted).not.toBe(before);
    const isLeft = {
      exitCode: 2,
      stdout: expect.stringMatching(/: CHECK cannot be asked about the old result, so it stays as it is$/),
    };
    expect(await run(lab, "adopt", "--undo", "--cni-path", "/nope")).toMatchObject(isLeft);
    await lab.run("mv", ["/opt/cni/config/zone.conflist", "/opt/cni/zone.conflist"]);
    expect(await run(lab, "adopt", "--undo")).toMatchObject(isLeft);
    await lab.run("mv", ["/opt/cni/zone.conflist", "/opt/cni/config/zone.conflist"]);
    expect(await files(lab)).toBe(adopted);
    expect(await run(lab, "adopt", "--undo")).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(
        /: CHECK of the list in place would fail with the old result, so it stays as it is/,
      ),
    });
    expect(await files(lab)).toBe(adopted);
    await withList(lab, { ...list, disableCheck: true });
    expect(await run(lab, "adopt", "--undo")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await files(lab)).toBe(before);
    expect(await run(lab, "adopt", "--undo")).toMatchObject({ exitCode: 0, stdout: "There is no backup." });
    expectFailure(await lab.cnitool.check(list, container), /^interface eth1 is not in prevResult/);
  });

  test("writes nothing for an interface that is gone", async ({ lab }) => {
    const container = await attachedByAForgetfulScript(lab, "c1");
    await withList(lab);
    await lab.ip(container, "link", "delete", "eth1");
    const before = await files(lab);
    const refused = await run(lab, "adopt", "--write");
    expect(refused).toMatchObject({ exitCode: 1, stderr: "" });
    expect(refused.stdout).toMatch(/CHECK fails, and no result makes it pass: interface eth1 is not in prevResult/);
    expect(await files(lab)).toBe(before);
  });

  describe("--with", () => {
    const file = "/opt/cni/config/zone.conflist";
    const adopt = (lab: Lab) => run(lab, "adopt", "--with", `${file}.new`, "--write");

    test("adopts for a list that is not in place yet: the list in place asks nobody, and the new one passes", async ({
      lab,
    }) => {
      const container = await attachedByAForgetfulScript(lab, "c1");
      await withList(lab, { ...zone(macvlan, bridge), disableCheck: true });
      await lab.writeFile(`${file}.new`, JSON.stringify(list));
      expect(await adopt(lab)).toMatchObject({
        exitCode: 0,
        stdout: expect.stringMatching(/^0 pass CHECK, 1 adopted/m),
      });
      expect((await run(lab, "preflight")).stdout).toMatch(/^0 of 1 pass, 1 unchecked$/m);
      await lab.run("mv", [`${file}.new`, file]);
      expect(await run(lab, "preflight")).toMatchObject({
        exitCode: 0,
        stdout: expect.stringMatching(/^1 of 1 pass$/m),
      });
      expectSuccess(await lab.cnitool.check(list, container));
    });

    test("leaves a result alone with which the CHECK of the list in place would fail, until the new list is there", async ({
      lab,
    }) => {
      const container = await attachedByAForgetfulScript(lab, "c1");
      const old = zone(macvlan);
      await withList(lab, old);
      await lab.writeFile(`${file}.new`, JSON.stringify(list));
      const before = await files(lab);
      expectSuccess(await lab.cnitool.check(old, container));
      const refused = await adopt(lab);
      expect(refused.exitCode).toBe(1);
      expect(refused.stdout).toMatch(
        /when the new list is in place; before, .*: Failed to match addr 172\.26\.64\.2\/20/,
      );
      expect(await files(lab)).toBe(before);
      await lab.run("mv", [`${file}.new`, file]);
      expect(await run(lab, "adopt", "--write")).toMatchObject({ exitCode: 0 });
      expectSuccess(await lab.cnitool.check(list, container));
      // The twin: with the new result the old list fails.
      expectFailure(await lab.cnitool.check(old, container), "Failed to match addr 172.26.64.2/20 on interface eth0");
    });
  });

  test("leaves attachments alone that pass", async ({ lab, container }) => {
    expectSuccess(await lab.cnitool.add(zone(wrapped(macvlan), wrapped(bridge, "eth1")), container));
    await withList(lab);
    const before = await files(lab);
    expect(await run(lab, "adopt", "--write")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^1 pass CHECK, 0 adopted, 0 cannot be helped$/m),
    });
    expect(await files(lab)).toBe(before);
  });
});
