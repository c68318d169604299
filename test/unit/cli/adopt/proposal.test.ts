import { describe, expect, test } from "vitest";
import { proposalFor } from "../../../../cli/adopt/proposal.ts";
import { textFor } from "../../../../cli/adopt/report.ts";
import { parseListFile } from "../../../../cli/lists/list-file.ts";
import type { CachedAttachment } from "../../../../cli/live/cached-results.ts";
import type { Verdict } from "../../../../cli/live/check.ts";
import { networkIn } from "../../../../cli/live/networks.ts";
import { workloadOf } from "../../../../cli/live/workload.ts";

const attachment: CachedAttachment = {
  ...{ file: "/c", text: "", network: "zone", containerId: "c1", runtimeIfName: "eth0", netns: "/run/netns/c1" },
  ...{ list: undefined, args: [], capabilityArgs: {}, result: undefined },
};

test.each([
  [{ is: "passes" }, "1 pass CHECK, 0 can be adopted, 0 cannot be helped\n"],
  [{ is: "gone" }, "0 pass CHECK, 0 can be adopted, 0 cannot be helped, 1 are not checked\n"],
  [{ is: "unchecked", why: "x" }, "0 pass CHECK, 0 can be adopted, 0 cannot be helped, 1 are not checked\n"],
] satisfies [Verdict, string][])("%j is counted as what it is", async (verdict, words) => {
  const evidence = { network: undefined, readLinks: async () => undefined, isClaimed: () => false };
  const proposal = await proposalFor(attachment, { ...evidence, check: async () => verdict });
  expect(
    textFor(
      [{ attachment, workload: workloadOf(attachment), proposal }],
      { isWritten: false, where: "looked at: there" },
      { hasColors: false },
    ),
  ).toBe(`looked at: there\n\n${words}`);
});

test("what passes with another list is told with its cure, and counted so", async () => {
  const evidence = { network: undefined, readLinks: async () => undefined, isClaimed: () => false };
  const check = async (): Promise<Verdict> => ({ is: "fails", error: "x", cure: "change y" });
  const proposal = await proposalFor(attachment, { ...evidence, check });
  const one = { attachment, workload: workloadOf(attachment), proposal };
  const text = textFor([one], { isWritten: false, where: "there" }, { hasColors: false });
  expect(text).toMatch(/: x\n {2}change y\n[\s\S]*0 cannot be helped, 1 pass with another list\n$/);
});

test("an address that a listed interface lacks gets this interface's index", async () => {
  const interfaces = ["eth0", "eth1"].map((name) => ({ name, sandbox: "/run/netns/c1" }));
  const info = { local: "10.1.0.2", prefixlen: 24, scope: "global" };
  const proposal = await proposalFor(
    { ...attachment, result: { cniVersion: "1.0.0", interfaces } },
    {
      network: networkIn(parseListFile("", '{"name":"zone","plugins":[{"type":"bridge-wrapper"}]}')),
      readLinks: async () => ({ inside: [{ ifname: "eth0", ifindex: 2, addr_info: [info] }], host: [], hostId: "1" }),
      isClaimed: () => false,
      check: async ({ result }) => (result?.ips ? { is: "passes" } : { is: "fails", error: "x" }),
    },
  );
  const result = { cniVersion: "1.0.0", interfaces, ips: [{ address: "10.1.0.2/24", interface: 0 }] };
  expect(proposal).toMatchObject({ is: "adoptable", result });
});

describe("with another list than the one in place", () => {
  const result = { cniVersion: "1.0.0", interfaces: [] };
  const listed = parseListFile("", JSON.stringify({ name: "zone", plugins: [{ type: "bridge-wrapper" }] }));
  const eth0 = { ifname: "eth0", ifindex: 2, address: "02:00:00:00:00:01" };
  const isCompleted = (one: CachedAttachment) => (one.result?.interfaces ?? []).length > 0;
  const fails: Verdict = { is: "fails", error: "Failed to match addr" };
  /** Without the interface the new list's CHECK fails. */
  const proposed = (checkInPlace: (one: CachedAttachment) => Verdict) =>
    proposalFor(
      { ...attachment, result },
      {
        network: networkIn(listed),
        readLinks: async () => ({ inside: [eth0], host: [], hostId: "1" }),
        isClaimed: () => false,
        check: async (one) => (isCompleted(one) ? { is: "passes" } : fails),
        checkInPlace: async (one) => checkInPlace(one),
      },
    );

  test.each<[string, Verdict, Verdict, string]>([
    ["passes with both results", { is: "passes" }, { is: "passes" }, "adoptable"],
    ["is not run", { is: "unchecked", why: "x" }, { is: "unchecked", why: "x" }, "adoptable"],
    ["fails with both", fails, fails, "adoptable"],
    ["passes, and would fail with the new result", { is: "passes" }, fails, "later"],
  ])("the CHECK of the list in place %s", async (_, before, after, is) => {
    expect(await proposed((one) => (isCompleted(one) ? after : before))).toMatchObject({ is });
  });

  test("what must wait is told, with the error", async () => {
    const proposal = await proposed((one) => (isCompleted(one) ? fails : { is: "passes" }));
    const one = { attachment, workload: workloadOf(attachment), proposal };
    expect(textFor([one], { isWritten: true, where: "there" }, { hasColors: false })).toBe(
      "zone c1: can be adopted when the new list is in place; before, CHECK of the list in place would fail: Failed to match addr\n\nthere\n\n0 pass CHECK, 0 adopted, 1 when the new list is in place, 0 cannot be helped\n",
    );
  });
});
