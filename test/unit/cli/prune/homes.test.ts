import { expect, test } from "vitest";
import { homesAmong } from "../../../../cli/prune/homes.ts";
import { hostWith, resultOf } from "./support.ts";

const one = resultOf("c1", "10.1.0.2");
const eth0 = {
  ...{ ifindex: 2, ifname: "eth0", address: "02:00:00:00:00:09" },
  addr_info: [{ family: "inet" as const, local: "10.1.0.2", prefixlen: 24, scope: "global" }],
};

const withProcess = (links: (typeof eth0)[] | undefined) =>
  hostWith([], { namespaces: [{ inode: 0, paths: ["/proc/7/ns/net"], links }] });
const elsewhere = "it is there for another process; run the command on the host itself";

test.each([
  ["nothing has its interface or path", hostWith([]), undefined],
  ["a process has its interface", withProcess([eth0]), "its interface is in /proc/7/ns/net"],
  ["a namespace cannot be read", withProcess(undefined), undefined],
  ["another process sees its path", hostWith(["/run/netns/c1"]), elsewhere],
])("a namespace whose path leads nowhere: %s", async (_, host, why) => {
  const homeOf = homesAmong({ all: [one], memories: [] }, async () => host);
  // `adopt` asks about a result that it has read again, or completed.
  expect([await homeOf(one), await homeOf({ ...one })]).toEqual([why, why]);
});

test("an attachment without a namespace has no home", async () => {
  const nowhere = resultOf("c1", "10.1.0.2", { netns: "", result: {} });
  expect(await homesAmong({ all: [nowhere], memories: [] }, async () => hostWith([]))(nowhere)).toBeUndefined();
});
