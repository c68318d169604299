import { expect, test } from "vitest";
import { type Container, Lab } from "../support/lab.ts";
import type { NetworkList } from "../support/runtime.ts";
import { attached, expectFailure, expectNothingLeft, expectSuccess, expectUndone } from "./calls.ts";
import { bridge, macvlan, newer, older, type pairs, wrapped, zone } from "./support.ts";

// A chained plugin that adds interfaces to its attachment, as tc-redirect-tap does: a tap in the container, and the interface
// of the container's virtual machine, which has the address. Its CHECK and DEL find both only in prevResult.
const mirror = `#!/run/lab/node
const { execFileSync } = require("node:child_process");
const { readFileSync } = require("node:fs");
const { CNI_COMMAND: verb, CNI_NETNS: netns, CNI_CONTAINERID: machine, CNI_IFNAME: ifName } = process.env;
const { tap, prevResult, cniVersion } = verb === "VERSION" ? {} : JSON.parse(readFileSync(0, "utf8"));
const { interfaces = [], ips = [] } = prevResult ?? {};
const ip = (...args) => execFileSync("nsenter", ["--net=" + netns, "ip", ...args], { stdio: "pipe" });
const ends = interfaces.filter(({ sandbox }) => sandbox === machine);
const fail = (msg) => {
  console.log(JSON.stringify({ cniVersion, code: 11, msg }));
  process.exit(1);
};
if (verb === "ADD") {
  try {
    ip("tuntap", "add", tap, "mode", "tap");
  } catch (error) {
    fail(String(error.stderr).trim());
  }
  const own = interfaces.findIndex(({ name, sandbox }) => name === ifName && sandbox === netns);
  const all = [...interfaces, { name: tap, sandbox: netns }, { name: tap, sandbox: machine }];
  const more = ips.filter((one) => one.interface === own).map((one) => ({ ...one, interface: all.length - 1 }));
  console.log(JSON.stringify({ ...prevResult, cniVersion, interfaces: all, ips: [...ips, ...more] }));
}
if (verb === "CHECK") {
  if (ends.length !== 1) fail(ends.length + " virtual machines instead of one");
  try {
    ip("link", "show", ends[0].name);
  } catch {
    fail(ends[0].name + " is gone");
  }
}
if (verb === "DEL") for (const { name } of ends) try { ip("link", "delete", name); } catch {}
if (verb === "VERSION") console.log('{"cniVersion": "1.0.0", "supportedVersions": ["0.4.0", "1.0.0", "1.1.0"]}');
`;

// Its ADD fails while the lab has a file.
const refusing = `#!/bin/sh
[ "$CNI_COMMAND" != ADD ] || [ ! -e /run/lab/refuse ] || { echo '{"code": 999, "msg": "refused"}'; exit 1; }
[ "$CNI_COMMAND" != VERSION ] || echo '{"cniVersion": "1.0.0", "supportedVersions": ["1.0.0"]}'
[ "$CNI_COMMAND" != ADD ] || sed 's/.*"prevResult":\\({.*}\\),"type".*/\\1/'
`;

const mirrorOf = (tap: string) => ({ type: "mirror", tap });
const two = (cniVersion: string) =>
  zone(
    cniVersion,
    wrapped(macvlan),
    wrapped(bridge, "eth1"),
    wrapped(mirrorOf("tap1"), "eth1"),
    wrapped(mirrorOf("tap0")),
  );

test("after one interface: the result, the links, CHECK and DEL are the same wrapped and plain", async () => {
  const plain = await life(zone(macvlan, mirrorOf("tap0")));
  expect(plain.links).toEqual(["lo", "eth0", "tap0"]);
  expect(plain.lost).toContain("tap0 is gone");
  expect(await life(zone(wrapped(macvlan), wrapped(mirrorOf("tap0"))))).toEqual(plain);
});

test("of two attachments: each plugin gets its own, after an edit of the list as well", async () => {
  await using lab = await withMirror(older);
  const list = two("1.0.0");
  const container = await attached(lab, lab.runtime, list);
  const id = lab.runtime.id(container);
  const { interfaces, ips } = await lab.kernel.cachedResult("zone", id);
  expect(interfaces?.filter(({ sandbox }) => sandbox).map(({ name, sandbox }) => [name, sandbox])).toEqual([
    ["eth0", container.netns],
    ["tap0", container.netns],
    ["tap0", id],
    ["eth1", container.netns],
    ["tap1", container.netns],
    ["tap1", id],
  ]);
  const owned = ips?.map((one) => [one.address, interfaces?.[one.interface ?? -1]?.name]);
  expect(owned?.sort()).toEqual([
    ["172.16.5.2/24", "eth0"],
    ["172.16.5.2/24", "tap0"],
    ["172.26.64.2/20", "eth1"],
    ["172.26.64.2/20", "tap1"],
  ]);
  const edited = { ...list, plugins: list.plugins.map((each) => ({ ...each, comment: "new" })) };
  for (const each of [list, edited]) expectSuccess(await lab.runtime.check(each, container));
  await lab.ip(container, "link", "delete", "tap1");
  for (const each of [list, edited]) expectFailure(await lab.runtime.check(each, container), /tap1 is gone/);
  await expectUndone(lab, edited, container, ["disc0"], lab.runtime);
});

test("a runtime that tries ADD again without DEL: the second try removes the first one's", async () => {
  await using lab = await withMirror(newer);
  const list = zone(wrapped(macvlan), wrapped(bridge, "eth1"), wrapped(mirrorOf("tap1"), "eth1"), { type: "refusing" });
  await lab.writeFile("/run/lab/refuse", "");
  const container = await lab.addContainer("c1");
  expectFailure(await lab.cnitool.add(list, container), /refused/);
  expect(await lab.kernel.linkNames(container)).toContain("tap1");
  await lab.run("rm", ["/run/lab/refuse"]);
  expectSuccess(await lab.cnitool.add(list, container));
  expectSuccess(await lab.cnitool.check(list, container));
  expectSuccess(await lab.cnitool.del(list, container));
  expect(await lab.kernel.linkNames(container)).toEqual(["lo"]);
});

async function withMirror(pair: (typeof pairs)[number]): Promise<Lab> {
  const lab = await Lab.start(pair);
  await lab.writeScript(`${Lab.pluginPath}/mirror`, mirror);
  await lab.writeScript(`${Lab.pluginPath}/refusing`, refusing);
  await lab.run("ln", ["-s", "cni-wrappers", `${Lab.pluginPath}/mirror-wrapper`]);
  return lab;
}

/** A container's life, without what differs from lab to lab. */
async function life(list: NetworkList) {
  await using lab = await withMirror(newer);
  const container: Container = await attached(lab, lab.goCni, list);
  const { interfaces, ips } = await lab.kernel.cachedResult("zone", "c1");
  const links = await lab.kernel.linkNames(container);
  expectSuccess(await lab.goCni.check(list, container));
  await lab.ip(container, "link", "delete", "tap0");
  const lost = (await lab.goCni.check(list, container)).stderr.replaceAll("-wrapper", "");
  await lab.ip(container, "tuntap", "add", "tap0", "mode", "tap");
  expectSuccess(await lab.goCni.del(list, container));
  const left = await lab.kernel.linkNames(container);
  await expectNothingLeft(lab);
  return { interfaces: interfaces?.map(({ mac: _, ...each }) => each), ips, links, lost, left };
}
