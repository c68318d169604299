import { rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { missingJournal } from "../../../../cli/adopt/proposal.ts";
import type { Link } from "../../../../cli/host/links.ts";
import { listFrom } from "../../../../cli/lists/list.ts";
import { type CachedAttachment, isAttachment, parseCachedResult } from "../../../../cli/live/cached-results.ts";
import { checksumOf } from "../../../../shared/journal/journal.ts";
import { scratch } from "../../../support/scratch.ts";
import { configOf } from "../../support/cached-results.ts";
import { redirect } from "../../support/redirected.ts";
import { writeFile } from "../../support/written.ts";

const directory = scratch();
beforeEach(() => {
  redirect("/var/lib/cni", join(directory, "state"));
  write("uptime", "1000.00 1.00\n");
  redirect("/proc/uptime", join(directory, "uptime"));
  write("boot", "this boot\n");
  redirect("/proc/sys/kernel/random/boot_id", join(directory, "boot"));
});

const write = (name: string, text: string) => writeFile(join(directory, name), text);

// In a list, keys stand in any order.
const zone = {
  cniVersion: "1.0.0",
  name: "zone",
  plugins: [
    { type: "bridge-wrapper", bridge: "cni1", ipam: { type: "host-local", dataDir: "/leases" } },
    { wrapper: { ifName: "eth1" }, type: "macvlan-wrapper", master: "eno1", ipam: { type: "host-local" } },
    { type: "ptp" },
    { type: "dummy-wrapper", wrapper: { ifName: "gone0" } },
  ],
};
const inside: readonly Link[] = [
  { ifindex: 1, ifname: "lo" },
  { ifindex: 3, ifname: "eth1" },
  { ifindex: 2, ifname: "eth0", addr_info: [{ local: "10.1.0.2", prefixlen: 24, scope: "global" }] },
];

/** The journal for a container whose result libcni wrote so many seconds ago. */
function journalFor({ seconds = 10, list = zone, links = inside } = {}) {
  write("ns", "");
  const cached = { networkName: "zone", containerId: "c1", ifName: "eth0", netns: join(directory, "ns") };
  const config = configOf(zone.plugins);
  const cniArgs = Object.entries({ A: "b", C: "d" });
  const text = JSON.stringify({ kind: "cniCacheV1", ...cached, config, cniArgs });
  write("results/zone-c1-eth0", text);
  const file = join(directory, "results/zone-c1-eth0");
  const then = Date.now() / 1000 - seconds;
  utimesSync(file, then, then);
  const attachment = parseCachedResult(file, text);
  if (!isAttachment(attachment)) throw new Error("the fixture is no attachment");
  return (more: Partial<CachedAttachment> = {}) =>
    missingJournal({ ...attachment, ...more }, listFrom(list)?.plugins ?? [], { inside: links, host: [], hostId: "0" });
}

test("a journal has what the ADDs of the wrapped interface plugins would have left", () => {
  const { file, text = "" } = journalFor()() ?? {};
  const { dev: device, ino: inode, ctimeMs } = statSync(join(directory, "ns"));
  const its = {
    ...{ format: 1, network: "zone", containerId: "c1", runtimeIfName: "eth0", role: "creator", path: "", before: 0 },
    bootId: "this boot",
    namespace: { path: join(directory, "ns"), device, inode, changedMs: Math.floor(ctimeMs) },
  };
  const ipam = { type: "host-local", dataDir: "/leases" };
  const bridge = {
    ...{ line: "began", ...its, id: "adopted-eth0", type: "bridge", ifName: "eth0", delegateNetwork: "zone" },
    ...{ args: "A=b;C=d", wrapper: {} },
    configuration: { cniVersion: "1.0.0", name: "zone", type: "bridge", bridge: "cni1", ipam },
  };
  const macvlan = {
    ...{ line: "began", ...its, id: "adopted-eth1", type: "macvlan", ifName: "eth1", delegateNetwork: "zone-eth1" },
    ...{ args: "", wrapper: { ifName: "eth1" } },
    configuration: {
      ...{ cniVersion: "1.0.0", name: "zone-eth1", type: "macvlan", master: "eno1" },
      ipam: { type: "host-local" },
    },
  };
  const lines = text.split("\n").map((line) => (line === "" ? "" : JSON.parse(line)));
  for (const line of lines) {
    if (line.uptime !== undefined) expect(Math.abs(line.uptime - 990)).toBeLessThan(5);
    delete line.uptime;
    delete line.checksum;
  }
  expect({ file, lines }).toEqual({
    file: "/var/lib/cni/wrappers/c1/zone:eth0",
    lines: [
      bridge,
      { line: "done", id: "adopted-eth0", made: 2, addresses: ["10.1.0.2/24"] },
      macvlan,
      { line: "done", id: "adopted-eth1", made: 3, addresses: [] },
      "",
    ],
  });
});

test("an entry has the checksum of the configuration as libcni writes it, with sorted keys", () => {
  const [began = ""] = journalFor()()?.text.split("\n") ?? [];
  const ipam = { dataDir: "/leases", type: "host-local" };
  expect(JSON.parse(began).checksum).toBe(checksumOf({ bridge: "cni1", ipam, name: "zone", type: "bridge-wrapper" }));
});

test("an entry has the version that the runtime chose among several", () => {
  const [began = ""] =
    journalFor()({ list: { cniVersions: ["0.4.0", "1.0.0"], name: "zone" } })?.text.split("\n") ?? [];
  expect(JSON.parse(began).configuration.cniVersion).toBe("1.0.0");
});

test("a result that is older than the boot has an entry from its beginning", () => {
  const [began = ""] = journalFor({ seconds: 2000 })()?.text.split("\n") ?? [];
  expect(JSON.parse(began).uptime).toBe(0);
});

test.each([
  ["in no network", {}, "zone-eth1"],
  ["in its own network", { "zone-eth1": "c1\r\neth1" }, "zone-eth1"],
  ["in both", { "zone-eth1": "c1\r\neth1", zone: "c1\r\neth1" }, "zone-eth1"],
  ["in the list's network", { zone: "c1\r\neth1" }, "zone"],
  ["in the list's network, for another container", { zone: "c2\r\neth1" }, "zone-eth1"],
  ["in the list's network, for another interface", { zone: "c1\r\neth0" }, "zone-eth1"],
])("the delegate's network is the one that has the lease, which is %s", (_, leases, network) => {
  for (const [folder, text] of Object.entries(leases)) write(`state/networks/${folder}/10.1.0.3`, text);
  const lines = journalFor()()?.text.split("\n") ?? [];
  const { delegateNetwork, configuration } = JSON.parse(lines[2] ?? "");
  expect([delegateNetwork, configuration.name]).toEqual([network, network]);
});

test("there is nothing to write where there is a journal, no wrapped plugin, no interface or no container", () => {
  const plain = { ...zone, plugins: [{ type: "bridge" } as (typeof zone.plugins)[0]] };
  expect(journalFor({ list: plain })()).toBeUndefined();
  expect(journalFor({ links: [] })()).toBeUndefined();
  for (const gone of ["netns", "file"]) expect(journalFor()({ [gone]: "/gone" })).toBeUndefined();
  const its = journalFor();
  expect(its()).toBeDefined();
  write("state/wrappers/c1/zone:eth0", "");
  expect(its()).toBeUndefined();
  rmSync(join(directory, "state/wrappers"), { recursive: true });
  rmSync(join(directory, "boot"));
  expect(its()).toBeUndefined();
});
