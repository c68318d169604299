import { expect, test } from "vitest";
import { type Evidence, type Proposal, proposalFor } from "../../../../cli/adopt/proposal.ts";
import type { Link } from "../../../../cli/host/links.ts";
import { parseListFile } from "../../../../cli/lists/list-file.ts";
import type { Verdict } from "../../../../cli/live/check.ts";
import { networkIn } from "../../../../cli/live/networks.ts";
import type { CniResult, Interface } from "../../../../shared/protocol/result.ts";
import { cachedAttachment } from "../../support/cached-results.ts";

const attachment = cachedAttachment();

test.each<[Verdict, Proposal["is"]]>([
  [{ is: "passes" }, "fine"],
  [{ is: "gone" }, "unchecked"],
  [{ is: "unchecked", why: "x" }, "unchecked"],
])("%j is what it is", async (verdict, is) => {
  const evidence = { network: undefined, readLinks: async () => undefined, isClaimed: () => false };
  expect(await proposalFor(attachment, { ...evidence, check: async () => verdict })).toEqual({ is });
});

const netns = "/run/netns/c1";
const address = (local: string, scope = "global") => ({ local, prefixlen: local.includes(":") ? 64 : 24, scope });
const eth0: Link = { ifname: "eth0", ifindex: 2, address: "02:00:00:00:00:01", link_index: 9, link_netnsid: 0 };
const host: readonly Link[] = [
  { ifname: "cni0", ifindex: 4, address: "02:00:00:00:00:0c" },
  { ifname: "cni1", ifindex: 5, address: "02:00:00:00:00:0d" },
  { ifname: "veth7", ifindex: 9 },
];
const mac = "02:00:00:00:00:01";
const inside = { name: "eth0", mac, sandbox: netns };
const links = (inside: readonly Link[]) => async () => ({ inside, host, hostId: "0" });

const empty = { cniVersion: "1.0.0" };
const only = (...interfaces: Interface[]): CniResult => ({ interfaces, ips: [] });
const cni0 = { name: "cni0", mac: "02:00:00:00:00:0c" };
const ips = [{ address: "10.1.0.9/24" }, { address: "10.1.0.2/24", interface: 1 }];

test.each<[string, object, object, CniResult, CniResult]>([
  [
    "the interface after its host-side ones, with addresses of their families",
    { type: "bridge", bridge: "cni1" },
    { addr_info: [address("10.1.0.2"), address("fd00::2"), address("fe80::1", "link")] },
    { cniVersion: "0.4.0", interfaces: [{ name: "other0" }], dns: { domain: "a.example" } },
    {
      interfaces: [{ name: "other0" }, { name: "cni1", mac: "02:00:00:00:00:0d" }, { name: "veth7", mac: "" }, inside],
      ips: [
        { version: "4", address: "10.1.0.2/24", interface: 3 },
        { version: "6", address: "fd00::2/64", interface: 3 },
      ],
    },
  ],
  ["the bridge of a list that names none", { type: "bridge" }, { link_netnsid: 1 }, empty, only(cni0, inside)],
  ["an interface without a MAC", { type: "macvlan" }, { address: undefined }, empty, only({ ...inside, mac: "" })],
  [
    "only the addresses that a listed interface lacks, and not its host-side namesake",
    { type: "bridge" },
    { addr_info: [address("10.1.0.2"), address("10.2.0.2")] },
    { ...empty, interfaces: [{ name: "eth0" }, ...["eth0", "eth1"].map((name) => ({ name, sandbox: netns }))], ips },
    { ips: [...ips, { address: "10.2.0.2/24", interface: 1 }] },
  ],
])("a result gets %s", async (_, plugin, link, result, gets) => {
  const completed = { ...result, ...gets };
  const checked: unknown[] = [];
  const proposal = await proposalFor(
    { ...attachment, result },
    {
      network: networkIn(parseListFile("", JSON.stringify({ name: "zone", plugins: [plugin] }))),
      readLinks: links([{ ifname: "lo", ifindex: 1 }, { ...eth0, ...link } as Link]),
      isClaimed: () => false,
      check: async (one) => {
        checked.push(one.result);
        return one.result === result ? { is: "fails", error: "x" } : { is: "passes" };
      },
    },
  );
  expect(checked).toEqual([result, completed]);
  expect(proposal).toEqual({ is: "adoptable", result: completed, journal: undefined });
});

const zone = networkIn(parseListFile("", '{"name":"zone","plugins":[{"type":"macvlan"}]}'));
const complete: CniResult = { cniVersion: "1.0.0", interfaces: [inside] };

const lost: Proposal = { is: "lost", error: "x", cure: "change y" };
const unread = "its interfaces cannot be read: ip(8), nsenter(1) or lsns(1) is missing, or fails: x";

const nobody = { readLinks: async () => undefined };

test.each<[string, Partial<Evidence>, CniResult | undefined, Proposal, string?]>([
  ["no list", { network: undefined }, complete, lost],
  ["no result", {}, undefined, lost],
  ["nothing that the result lacks", {}, complete, lost],
  ["a namespace that lives elsewhere", nobody, complete, lost],
  ["nobody who can read its links", nobody, complete, { is: "unseen", error: unread }, "/proc/self/ns/net"],
])("for an attachment with %s, CHECK runs once", async (_, more, result, expected, path = netns) => {
  let checks = 0;
  const check = async (): Promise<Verdict> => {
    checks++;
    return { is: "fails", error: "x", cure: "change y" };
  };
  const evidence = { network: zone, readLinks: links([eth0]), isClaimed: () => false, check, ...more };
  expect(await proposalFor({ ...attachment, netns: path, result }, evidence)).toEqual(expected);
  expect(checks).toBe(1);
});

test.each([
  ["another attachment's interface", "macvlan-wrapper", true, true],
  ["a chained plugin's interface", "tuning-wrapper", false, true],
  ["an interface with which CHECK fails, too", "macvlan-wrapper", false, false],
])("a result does not get %s", async (_, type, isClaimed, isEnough) => {
  const plugins = [{ type: "macvlan" }, { type, wrapper: { ifName: "eth1" } }];
  const proposal = await proposalFor(
    { ...attachment, result: complete },
    {
      network: networkIn(parseListFile("", JSON.stringify({ name: "zone", plugins }))),
      readLinks: links([{ ifindex: 3, ifname: "eth1" }]),
      isClaimed: (name) => name === "eth1" && isClaimed,
      check: async ({ result }) =>
        isEnough && result?.interfaces?.length === 2 ? { is: "passes" } : { is: "fails", error: "x" },
    },
  );
  expect(proposal).toEqual({ is: "lost", error: "x" });
});
