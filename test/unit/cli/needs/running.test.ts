import { createHash } from "node:crypto";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Link } from "../../../../cli/host/links.ts";
import type { CachedAttachment } from "../../../../cli/live/cached-results.ts";
import { lostSince } from "../../../../cli/needs/running.ts";
import { scratch } from "../../../support/scratch.ts";
import { cachedAttachment } from "../../support/cached-results.ts";
import { setVariable, writeProgram } from "../../support/programs.ts";
import { listWith } from "./support.ts";

const list = (own: object = {}) =>
  listWith({
    type: "bridge-wrapper",
    bridge: "disc0",
    isGateway: true,
    ipam: { type: "host-local", ranges: [[{ subnet: "172.26.64.0/20" }]] },
    ...own,
  });

const attachment = (address: string, netns = "/run/netns/c1") =>
  cachedAttachment({
    ...{ runtimeIfName: "eth3", netns },
    result: { interfaces: [{ name: "eth3", sandbox: netns }], ips: [{ address, interface: 0 }] },
  });

const bridge = (flags: readonly string[], ...addresses: readonly string[]): Link => ({
  ifindex: 9,
  ifname: "disc0",
  flags,
  addr_info: addresses.map((local) => ({ family: "inet", local, prefixlen: 20, scope: "global" })),
});

const withoutFlags = ({ flags: _, ...link }: Link): Link => link;
const mine = attachment("172.26.64.2/20");
const up = ["BROADCAST", "UP"];
const ofTwo = { ...mine, result: { ips: [{ address: "10.9.0.1/24" }, { address: "172.26.64.2/20" }] } };
const isDown = /^disc0 is down, and its containers reach nothing\. Run: ip link set disc0 up$/;

// The lines about forwarding depend on the host of this test: test/e2e/host-mistakes.test.ts has them.
test.each([
  ["as ADD left it", list(), [mine], [bridge(up, "172.26.64.1")], []],
  ["down", list(), [mine], [bridge(["BROADCAST"], "172.26.64.1")], [/^disc0 is down/]],
  ["without an address", list(), [mine], [bridge(up)], [/^disc0 has lost 172\.26\.64\.1\/20/]],
  ["with another address", list(), [mine], [bridge(up, "172.26.64.9")], [/^disc0 has lost 172\.26\.64\.1\/20/]],
  ["with a second address", list(), [mine], [bridge(up, "172.26.64.9", "172.26.64.1")], []],
  ["a link whose flags nobody says", list(), [mine], [withoutFlags(bridge(up, "172.26.64.1"))], []],
  ["with an address of the other version", list(), [mine], [bridge(up, "::172.26.64.1")], [/^disc0 has lost 172/]],
  ["of an attachment with another address, too", list(), [ofTwo], [bridge([])], [isDown]],
  ["no container", list(), [], [bridge([])], []],
  ["only containers of an earlier subnet", list(), [attachment("10.77.0.2/24")], [bridge([])], []],
  ["no bridge: CHECK says it", list(), [mine], [], []],
  ["another bridge", list({ bridge: "disc1" }), [mine], [bridge([])], []],
  ["no gateway", list({ isGateway: false }), [mine], [bridge([])], []],
  ["a program decides", list({ wrapper: { jq: "." } }), [mine], [bridge([])], []],
])("a bridge: %s", (_, zone, attachments, links, told) => {
  const lines = lostSince(zone, attachments, { links, note: () => {} }).filter((line) => line.startsWith("disc0"));
  expect(lines).toEqual(told.map((words) => expect.stringMatching(words)));
});

const usual = "172.26.64.9/20";
const ofThree = /^c1 and c2, c3 have one address, 172\.26\.64\.9\/20 \(macvlan\): stop all but one$/;

test.each([
  ["two containers", "bridge", ["c1", "c2"], usual, [/^c1 and c2 have one address, 172\.26\.64\.9\/20 \(bridge\)/]],
  ["three containers", "macvlan", ["c1", "c2", "c3"], usual, [ofThree]],
  ["a service's address of IPv6", "bridge", ["c1", "c2"], "fd00::9/128", []],
  ["an address of IPv6 in a wide subnet", "bridge", ["c1", "c2"], "fd00::9/32", [/^c1 and c2 have one address/]],
  ["plugins of other names", "bridge2", ["c1", "c2"], usual, []],
  ["two attachments of one container", "bridge", ["c1", "c1"], usual, []],
  ["a service's address", "bridge", ["c1", "c2"], "10.9.0.1/32", []],
  ["a plugin whose containers do not share a network", "dummy", ["c1", "c2"], usual, []],
])("one address: %s", (_, type, ids, address, told) => {
  const attachments = ids.map((containerId) => ({ ...attachment(address), containerId }));
  const lines = lostSince(listWith({ type, ipam: { type: "static" } }), attachments, { links: [], note: () => {} });
  expect(lines).toEqual(told.map((words) => expect.stringMatching(words)));
});

test("one address of a renamed interface, and not of the other one", () => {
  const held = (containerId: string, first: string, second: string) => ({
    ...{ ...mine, containerId },
    result: {
      interfaces: ["eth3", "eth1"].map((name) => ({ name, sandbox: mine.netns })),
      ips: [first, second].map((address, index) => ({ address, interface: index })),
    },
  });
  const [eth3, eth1] = [
    { type: "bridge-wrapper", ipam: { type: "static" } },
    { type: "macvlan-wrapper", ipam: { type: "static" }, wrapper: { ifName: "eth1" } },
  ];
  const same = [held("c1", "10.1.0.2/24", "10.2.0.2/24"), held("c2", "10.1.0.3/24", "10.2.0.2/24")];
  const host = { links: [], note: () => {} };
  const line = "c1 and c2 have one address, 10.2.0.2/24 (macvlan-wrapper): stop all but one";
  expect(lostSince(listWith(eth3, eth1), same, host)).toEqual([line]);
  expect(lostSince(listWith(eth3), same, host)).toEqual([]);
});

const masquerading = { type: "bridge-wrapper", ipMasq: true, ipam: { type: "host-local" } };
const attachedWith = (plugin: object) => [{ ...mine, list: { plugins: [plugin] } }];

test("no rule is missed of a container that was attached before ipMasq was in the list", () => {
  const attachments = attachedWith({ ...masquerading, ipMasq: false });
  expect(lostSince(listWith(masquerading), attachments, { links: [], note: () => {} })).toEqual([]);
});

test("rules that no program shows are not called lost, and not good", () => {
  setVariable("PATH", import.meta.dirname);
  const noted: string[] = [];
  const note = (line: string) => void noted.push(line);
  expect(lostSince(listWith(masquerading), attachedWith(masquerading), { links: [], note })).toEqual([]);
  expect(noted).toEqual([expect.stringMatching(/^the packet rules of bridge-wrapper in .*: no program shows them$/)]);
});

describe("the packet rules of ipMasq", () => {
  const directory = scratch();
  beforeEach(() => setVariable("PATH", directory));

  const program = (name: string, script: string) => writeProgram(join(directory, name), script);
  const hash = (text: string) => createHash("sha512").update(text).digest("hex");
  // plugins/pkg/utils/utils.go: the first characters of the hash of the network's name and the container's.
  const chains = (...owners: string[]) => {
    const lines = owners.map((owner) => `:CNI-${hash(owner).slice(0, 24)} - [0:0]`);
    program("iptables-save", `echo '*nat'\n${lines.map((line) => `echo '${line}'`).join("\n")}\necho COMMIT`);
  };
  // plugins/pkg/ip/ipmasq_nftables_linux.go
  const ruleset = (...owners: string[]) => {
    const at = { family: "inet", table: "cni_plugins_masquerade" };
    const rules = owners.map((owner, index) => {
      const [network = "", interfaceOf = ""] = owner.split(" ");
      const comment = `${hash(network).slice(0, 16)}-${hash(interfaceOf).slice(0, 16)}, net: ${network}`;
      return { rule: { ...at, chain: "masq_checks", handle: index + 1, comment, expr: [{ masquerade: null }] } };
    });
    const tables = [{ table: { family: at.family, name: at.table, handle: 1 } }];
    const print = (objects: object[]) => `echo '${JSON.stringify({ nftables: objects })}'`;
    program("nft", `if [ "$3" = tables ]; then ${print(tables)}; else ${print(rules)}; fi`);
  };

  const asked = { ...masquerading, wrapper: undefined };
  const of = (containerId: string, plugins: object[] = [{ type: "portmap" }, asked], result: object = {}) => ({
    ...{ ...mine, containerId, list: { plugins } as CachedAttachment["list"] },
    result: { ...mine.result, ...result } as CachedAttachment["result"],
  });
  const lost = (plugin: object, ...attachments: CachedAttachment[]) => {
    const noted: string[] = [];
    const host = { links: [], note: (line: string) => void noted.push(line) };
    const lines = lostSince(listWith(plugin), attachments, host).filter((line) => line.includes("ipMasq"));
    return [...lines, ...noted];
  };
  const gone = (count: string, ids: string) =>
    `the rules of ipMasq (bridge-wrapper) are gone for ${count} containers: ${ids}. Only ADD makes them: replace the containers`;

  test("are there under the network's name, or under the list's", () => {
    const renamed = { ...asked, wrapper: { ifName: "eth1" } };
    const second = { interfaces: [{ name: "eth1", sandbox: mine.netns }] };
    chains("zonec1", "zone-eth1c2", "zonec3");
    expect(lost(asked, of("c1"), of("c3"))).toEqual([]);
    const seconds = ["c2", "c3", "c4"].map((id) => of(id, [renamed], second));
    expect(lost(renamed, ...seconds)).toEqual([gone("1 of 3", "c4")]);
    expect(lost(asked, of("c1"), of("c2"))).toEqual([gone("1 of 2", "c2")]);
  });

  test("of nftables have the interface's name, too", () => {
    const nftables = { ...asked, ipMasqBackend: "nftables" };
    const renamed = { ...nftables, wrapper: { ifName: "eth1" } };
    const second = { interfaces: [{ name: "eth1", sandbox: mine.netns }] };
    ruleset("zone eth3:c1", "zone-eth1 eth1:c2");
    expect(lost(nftables, of("c1", [nftables]))).toEqual([]);
    expect(lost(renamed, of("c2", [renamed], second))).toEqual([]);
    expect(lost(nftables, of("c2", [nftables]))).toEqual([gone("1 of 1", "c2")]);
  });

  test("are missed of five containers by name, and of the others by number", () => {
    chains();
    const ids = ["c1", "c2", "c3", "c4", "c5", "c6"];
    expect(lost(asked, ...ids.slice(0, 5).map((id) => of(id)))).toEqual([gone("5 of 5", "c1, c2, c3, c4, c5")]);
    expect(lost(asked, ...ids.map((id) => of(id)))).toEqual([gone("6 of 6", "c1, c2, c3, c4, c5, ...")]);
  });

  test("are not missed where the list, the container or the interface has none", () => {
    chains();
    expect(lost({ ...asked, ipMasq: false }, of("c1"))).toEqual([]);
    expect(lost({ ...asked, type: "macvlan-wrapper" }, of("c1", [{ ...asked, type: "macvlan-wrapper" }]))).toEqual([]);
    expect(lost(asked, of("c1", [{ ...asked, type: "ptp-wrapper" }]))).toEqual([]);
    expect(lost(asked, of("c1", [asked], { interfaces: [{ name: "eth7", sandbox: mine.netns }] }))).toEqual([]);
    expect(lost(asked, of("c1", [asked], { ips: [] }))).toEqual([]);
  });

  test("that one program shows and the list's does not are not called lost", () => {
    const note = "the packet rules of bridge-wrapper in zone.conflist: no program shows them";
    chains();
    expect(lost({ ...asked, ipMasqBackend: "nftables" }, of("c1"))).toEqual([note]);
    expect(lost({ ...asked, ipMasqBackend: "nftables" })).toEqual([]);
    program("iptables-save", "echo broken >&2; exit 1");
    const broken = note.replace("no program shows them", "iptables-save: broken; packet rules may be left");
    expect(lost(asked, of("c1"))).toEqual([broken]);
  });
});
