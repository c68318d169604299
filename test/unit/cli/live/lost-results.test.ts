import { expect, test } from "vitest";
import type { MemoryFile } from "../../../../cli/host/memory.ts";
import { parseListFile } from "../../../../cli/lists/list-file.ts";
import type { CachedAttachment } from "../../../../cli/live/cached-results.ts";
import { lasting, lostResults } from "../../../../cli/live/lost-results.ts";
import { networksIn } from "../../../../cli/live/networks.ts";
import { entryOf } from "../../support/journals.ts";

const ipam = (subnet: string) => ({
  type: "host-local",
  ranges: [[{ subnet, rangeStart: subnet.replace("0/24", "9"), gateway: subnet.replace("0/24", "30") }]],
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
  "/run/netns/router": ["10.1.0.30"],
  "/run/netns/vpn": ["10.1.0.20/32"],
  "/run/netns/none": [],
};
const linksAt = async (path: string) =>
  addresses[path]?.map((address, ifindex) => {
    const [local = "", length = local.includes(":") ? 64 : 24] = address.split("/");
    const prefixlen = Number(length);
    return { ifindex, ifname: `eth${ifindex}`, addr_info: [{ local, prefixlen, scope: "global" }] };
  });

const attachmentOf = (network: string, netns: string) => ({ network, netns }) as CachedAttachment;

const said = async (
  paths: object = {},
  memories: readonly MemoryFile[] = [],
  attachments: readonly CachedAttachment[] = [],
) => {
  const usual = { cacheDirectory: "/var/lib/cni", ...paths };
  const around = { paths: usual, networks: networks.values(), memories, attachments };
  const lines = await lostResults([...Object.keys(addresses), "/run/netns/unreadable"], around, linksAt);
  return lines.map((line) => line.replace(/ gives it out, .*/, ""));
};
const ofZone = "/run/netns/c1 has 10.1.0.20: the network zone";
const ofShop = "/run/netns/c2 has fd00::5: the network shop";

test("an address that a list gives out tells of a container whose result is lost", async () => {
  expect(await said()).toEqual([ofZone, ofShop]);
});

test("only containers that the options may be about, in the usual directory", async () => {
  expect(await said({ network: "zone" })).toEqual([ofZone]);
  expect(await said({ containerId: "c1" })).toEqual([]);
  expect(await said({ cacheDirectory: "/elsewhere" })).toEqual([]);
});

test("an ADD that still runs has a journal, beside records of 0.2.0", async () => {
  const entry = entryOf({ namespace: { path: "/var/run/netns/c1", device: 4, inode: 7 } });
  const journal = { entries: [entry] } as unknown as NonNullable<MemoryFile["journal"]>;
  const record = { journal: undefined } as MemoryFile;
  expect(await said({}, [record, { journal } as MemoryFile])).toEqual([ofShop]);
});

test("a container with a result has lost none, even if its result does not say the namespace", async () => {
  expect(await said({}, [], [attachmentOf("other", "/var/run/netns/c1")])).toEqual([ofShop]);
  expect(await said({}, [], [attachmentOf("zone", "")])).toEqual([ofShop]);
});

test("only what is found each time counts, and nothing is looked for again that was not there at first", async () => {
  const lookAfter = async (...answers: string[][]) => {
    const waits: number[] = [];
    const looks = [...answers];
    const lines = await lasting(async () => looks.shift() ?? [], { wait: async (time) => waits.push(time) });
    return { lines, waits };
  };
  expect(await lookAfter([], ["c1"])).toEqual({ lines: [], waits: [] });
  expect(await lookAfter(["c1", "c2"], ["c1", "c3"], ["c1"], ["c1", "c2"])).toEqual({
    lines: ["c1"],
    waits: [1000, 1000, 1000],
  });
  expect(await lookAfter(["c1"], ["c1"], [])).toEqual({ lines: [], waits: [1000, 1000] });
});
