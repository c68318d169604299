import { expect, test, vi } from "vitest";
import type { Link } from "../../../../cli/host/links.ts";
import type { CachedAttachment } from "../../../../cli/live/cached-results.ts";
import { lostSince } from "../../../../cli/needs/running.ts";
import { listWith } from "./support.ts";

const list = (own: object = {}) =>
  listWith({
    type: "bridge-wrapper",
    bridge: "disc0",
    isGateway: true,
    ipam: { type: "host-local", ranges: [[{ subnet: "172.26.64.0/20" }]] },
    ...own,
  });

const attachment = (address: string, netns = "/run/netns/c1"): CachedAttachment => ({
  ...{ file: "", text: "", network: "zone", containerId: "c1", runtimeIfName: "eth0", netns },
  ...{ list: undefined, args: [], capabilityArgs: {} },
  result: { interfaces: [{ name: "eth0", sandbox: netns }], ips: [{ address, interface: 0 }] },
});

const bridge = (flags: readonly string[], ...addresses: readonly string[]): Link => ({
  ifindex: 9,
  ifname: "disc0",
  flags,
  addr_info: addresses.map((local) => ({ family: "inet", local, prefixlen: 20, scope: "global" })),
});

const mine = attachment("172.26.64.2/20");
const up = ["BROADCAST", "UP"];

// The lines about forwarding depend on the host of this test: test/e2e/host-mistakes.test.ts has them.
test.each([
  ["as ADD left it", list(), [mine], [bridge(up, "172.26.64.1")], []],
  ["down", list(), [mine], [bridge(["BROADCAST"], "172.26.64.1")], [/^disc0 is down/]],
  ["without an address", list(), [mine], [bridge(up)], [/^disc0 has lost 172\.26\.64\.1\/20/]],
  ["with another address", list(), [mine], [bridge(up, "172.26.64.9")], [/^disc0 has lost 172\.26\.64\.1\/20/]],
  ["with a second address", list(), [mine], [bridge(up, "172.26.64.9", "172.26.64.1")], []],
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

test.each([
  [
    "two containers",
    "bridge",
    ["c1", "c2"],
    "172.26.64.9/20",
    [/^c1 and c2 have one address, 172\.26\.64\.9\/20 \(bridge\)/],
  ],
  ["two attachments of one container", "bridge", ["c1", "c1"], "172.26.64.9/20", []],
  ["a service's address", "bridge", ["c1", "c2"], "10.9.0.1/32", []],
  ["a plugin whose containers do not share a network", "dummy", ["c1", "c2"], "172.26.64.9/20", []],
])("one address: %s", (_, type, ids, address, told) => {
  const attachments = ids.map((containerId) => ({ ...attachment(address), containerId }));
  const lines = lostSince(listWith({ type, ipam: { type: "static" } }), attachments, { links: [], note: () => {} });
  expect(lines).toEqual(told.map((words) => expect.stringMatching(words)));
});

const masquerading = { type: "bridge-wrapper", ipMasq: true, ipam: { type: "host-local" } };
const attachedWith = (plugin: object) => [{ ...mine, list: { plugins: [plugin] } }];

test("no rule is missed of a container that was attached before ipMasq was in the list", () => {
  expect(
    lostSince(listWith(masquerading), attachedWith({ ...masquerading, ipMasq: false }), { links: [], note: () => {} }),
  ).toEqual([]);
});

test("rules that no program shows are not called lost, and not good", () => {
  vi.stubEnv("PATH", "/nowhere");
  const noted: string[] = [];
  const note = (line: string) => void noted.push(line);
  expect(lostSince(listWith(masquerading), attachedWith(masquerading), { links: [], note })).toEqual([]);
  expect(noted).toEqual([expect.stringMatching(/^the packet rules of bridge-wrapper in .*: no program shows them$/)]);
  vi.unstubAllEnvs();
});
