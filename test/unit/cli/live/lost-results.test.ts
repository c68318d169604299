import { expect, test } from "vitest";
import type { MemoryFile } from "../../../../cli/host/memory.ts";
import { parseListFile } from "../../../../cli/lists/list-file.ts";
import { lostResults } from "../../../../cli/live/lost-results.ts";
import { networksIn } from "../../../../cli/live/networks.ts";
import { entryOf } from "../../support/journals.ts";

const ipam = (subnet: string) => ({
  type: "host-local",
  ranges: [[{ subnet, rangeStart: subnet.replace("0/24", "9") }]],
});
const fileOf = (name: string, subnet: string) =>
  parseListFile(
    `${name}.conflist`,
    JSON.stringify({ cniVersion: "1.0.0", name, plugins: [{ type: "ptp", ipam: ipam(subnet) }] }),
  );
const networks = networksIn([fileOf("zone", "10.1.0.0/24"), fileOf("shop", "fd00::/64")]);

const addresses: Readonly<Record<string, readonly string[]>> = {
  "/run/netns/c1": ["192.168.1.5", "10.1.0.20"],
  "/run/netns/c2": ["fd00::5"],
  "/run/netns/below": ["10.1.0.8"],
  "/run/netns/none": [],
};
const linksAt = async (path: string) =>
  addresses[path]?.map((local, ifindex) => {
    const prefixlen = local.includes(":") ? 64 : 24;
    return { ifindex, ifname: `eth${ifindex}`, addr_info: [{ local, prefixlen, scope: "global" }] };
  });

const said = async (paths: object = {}, memories: readonly MemoryFile[] = []) => {
  const around = { paths: { cacheDirectory: "/var/lib/cni", ...paths }, networks: networks.values(), memories };
  const lines = await lostResults([...Object.keys(addresses), "/run/netns/unreadable"], around, linksAt);
  return lines.map((line) => line.replace(/, and no result .*/, ""));
};
const ofZone = "/run/netns/c1: it has 10.1.0.20, an address of the network zone";
const ofShop = "/run/netns/c2: it has fd00::5, an address of the network shop";

test("an address that a list gives out tells of a container whose result is lost", async () => {
  expect(await said()).toEqual([ofZone, ofShop]);
});

test("only containers that the options may be about, in the usual directory", async () => {
  expect(await said({ network: "zone" })).toEqual([ofZone]);
  expect(await said({ containerId: "c1" })).toEqual([]);
  expect(await said({ cacheDirectory: "/elsewhere" })).toEqual([]);
});

test("an ADD that still runs has a journal", async () => {
  const entry = entryOf({ namespace: { path: "/var/run/netns/c1", device: 4, inode: 7 } });
  const journal = { entries: [entry] } as unknown as NonNullable<MemoryFile["journal"]>;
  expect(await said({}, [{ journal } as MemoryFile])).toEqual([ofShop]);
});
