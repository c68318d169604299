import { describe, expect, test } from "vitest";
import { addressesInUse, findingsIn, type Survey } from "../../../../cli/prune/findings.ts";
import type { Known, Thing } from "../../../../cli/prune/known.ts";
import type { AttachmentState, Namespace } from "../../../../cli/prune/state.ts";
import { configOf } from "../../support/cached-results.ts";
import { forwardOf, knownOf, leaseOf, surveyWith } from "./support.ts";

const namespace = (path: string, local: string): Namespace => ({
  inode: 0,
  paths: [path],
  links: [{ ifindex: 2, ifname: "eth0", addr_info: [{ local, prefixlen: 24, scope: "global" }] }],
});
const inNamespace = (path: string, local: string) => ({ namespaces: [namespace(path, local)] });

// The chain of c1 in the network zone.
const name = "CNI-5f346e2d484bb1c7403b7e9b";
const masquerading = `nat ${name}`;
const forwarding = "iptables filter CNI-FORWARD 10.1.0.2";

const chain = (more: Partial<Thing> = {}): Thing => ({
  ...forwardOf("10.1.0.2"),
  ...{ where: masquerading, name, network: "zone", containerId: "c1" },
  ...more,
});

/** What becomes of each thing: it goes, it stays for a reason, or it is not mentioned. */
function fatesIn(survey: Survey): Record<string, string> {
  return Object.fromEntries(findingsIn(survey).map(({ thing, why }) => [thing.where.split("/").at(-1), why ?? "goes"]));
}

// Nothing of it has the name of something in the network zone.
const inAnotherNetwork = { networkName: "x", config: configOf([{ type: "bridge" }], { name: "x" }) };

const gone: AttachmentState = { is: "gone" };
const live: AttachmentState = { is: "live" };
const unknown: AttachmentState = { is: "unknown", why: "some reason" };

/** The states of attachments to another network, whose address is no lease's. */
function elsewhere(...states: readonly [containerId: string, AttachmentState][]): Partial<Survey> {
  return { states: new Map(states.map(([id, state]) => [knownOf(id, "10.9.0.2", [], inAnotherNetwork), state])) };
}

describe("things with an attachment", () => {
  const things = [leaseOf("c1", "10.1.0.2"), chain(), forwardOf("10.1.0.2")];
  const all = ["10.1.0.2", masquerading, forwarding];

  test.each<[string, AttachmentState, string | undefined]>([
    ["of a gone one go", gone, "goes"],
    ["of a live one are not mentioned", live, undefined],
    ["of one that nobody can tell stay", unknown, "some reason"],
  ])("%s", (_, state, fate) => {
    const states = new Map([[knownOf("c1", "10.1.0.2"), state]]);
    const expected = fate === undefined ? {} : Object.fromEntries(all.map((where) => [where, fate]));
    expect(fatesIn(surveyWith({ states, things }))).toEqual(expected);
  });

  test("what a live and a gone one share is not mentioned", () => {
    const states = new Map<Known, AttachmentState>([
      [knownOf("c1", "10.1.0.2"), gone],
      [knownOf("c2", "10.1.0.2"), live],
    ]);
    expect(fatesIn(surveyWith({ states, things }))).toEqual({ "10.1.0.2": "goes", [masquerading]: "goes" });
  });

  test.each<[string, Partial<Survey>]>([
    ["a namespace", inNamespace("/run/netns/x", "10.1.0.2")],
    ["another container's lease", { things: [...things, leaseOf("c9", "10.1.0.2", { where: "new", doubt: "new" })] }],
  ])("firewall's rules for an address stay if %s has it now", (_, parts) => {
    const states = new Map([[knownOf("c1", "10.1.0.2"), gone]]);
    const survey = surveyWith({ states, things, ...parts });
    expect(fatesIn(survey)).not.toHaveProperty([forwarding]);
    expect(addressesInUse(survey, findingsIn(survey))).toContain("10.1.0.2");
  });

  test("what a gone and an unknown one share stays", () => {
    const states = new Map<Known, AttachmentState>([
      [knownOf("c1", "10.1.0.2"), gone],
      [knownOf("c1", "10.9.0.2", [], { networkName: "x" }), unknown],
    ]);
    expect(fatesIn(surveyWith({ states, things: [leaseOf("c1", "10.1.0.2")] }))).toEqual({ "10.1.0.2": "some reason" });
  });

  test("a chain without a comment is not mentioned if its name is a live one's", () => {
    const states = new Map([[knownOf("c1", "10.1.0.2"), live]]);
    const nameless = chain({ containerId: undefined, network: undefined });
    expect(fatesIn(surveyWith({ states, things: [nameless] }))).toEqual({});
  });

  test.each([
    ["free", gone, []],
    ["in use", unknown, ["10.1.0.2"]],
  ])("an address that another attachment has, too, is %s", (_, state, expected) => {
    const states = new Map<Known, AttachmentState>([
      [knownOf("c1", "10.1.0.2"), gone],
      [knownOf("c2", "10.1.0.2"), state],
    ]);
    expect([...addressesInUse(surveyWith({ states }), [])]).toEqual(expected);
  });
});

describe("a lease without a result or a record", () => {
  const lease = leaseOf("c1", "10.1.0.2");

  test.each<[string, string | undefined, Partial<Survey>]>([
    ["of a known network goes", "goes", {}],
    ["of an unknown network stays", "no list, result or journal names the network zone", { networks: new Map() }],
    ["that is new stays", "it is new", { things: [leaseOf("c1", "10.1.0.2", { doubt: "it is new" })] }],
    ["of a live container is not mentioned", undefined, elsewhere(["c1", live])],
    ["of a container that nobody can tell stays", "some reason", elsewhere(["c1", unknown])],
    ["stays if one of two attachments may live", "some reason", elsewhere(["c1", gone], ["c1", unknown])],
    ["whose address a namespace has is not mentioned", undefined, inNamespace("/proc/7/ns/net", "10.1.0.2")],
    [
      "stays if a namespace cannot be read",
      "a network namespace of this host cannot be read",
      { namespaces: [{ inode: 0, paths: ["/proc/7/ns/net"], links: undefined }] },
    ],
    ["goes if another container's result cannot be read", "goes", { unreadable: ["/r/zone-c12-eth0"] }],
    ["goes with a gone container, whatever others are alive", "goes", elsewhere(["c1", gone], ["c2", live])],
    [
      "whose address a live container has is not mentioned",
      undefined,
      { ...elsewhere(["c2", live]), ...inNamespace("/run/netns/c2", "10.1.0.2") },
    ],
    ["without an owner stays", "nothing says whose it is", { things: [leaseOf("", "10.1.0.2")] }],
  ])("%s", (_, fate, parts) => {
    const expected = fate === undefined ? {} : { "10.1.0.2": fate };
    expect(fatesIn(surveyWith({ things: [lease], ...parts }))).toEqual(expected);
  });
});

describe("a rule without a result or a record", () => {
  const portmap = chain({ where: "hostport", name: "hostport:c1", network: undefined });

  const forward = forwardOf("10.1.0.2");
  const ofTwo = { ...forward, addresses: ["10.1.0.2", "10.1.0.3"] };
  const ofC2 = { states: new Map([[knownOf("c2", "10.1.0.2"), live]]), ...inNamespace("/run/netns/c2", "10.1.0.2") };
  const why = "/r/zone-c1-eth0 cannot be read";
  const other = chain({ addresses: ["10.1.0.9", "10.1.0.2"] });
  const lease = leaseOf("c1", "10.1.0.2");
  const goes = { [masquerading]: "goes" };
  const bothGo = { [forwarding]: "goes", ...goes };

  test.each<[string, Record<string, string>, Thing[], Partial<Survey>?]>([
    ["goes with its comment", goes, [chain()]],
    ["goes if a live container has its address now", goes, [chain()], ofC2],
    ["stays without a network", { hostport: "nothing says whether its container is gone" }, [portmap]],
    ["goes without one if the container left another trace", { hostport: "goes", ...goes }, [portmap, chain()]],
    ["of firewall stays", { [forwarding]: "nothing says whose it is" }, [forward]],
    [
      "of firewall is left out if a namespace has one of its addresses",
      {},
      [ofTwo],
      inNamespace("/run/netns/x", "10.1.0.3"),
    ],
    ["of firewall goes with the lease of its address", { [forwarding]: "goes", "10.1.0.2": "goes" }, [lease, forward]],
    ["of firewall goes with a rule that has its address, and another one before", bothGo, [other, forward]],
    [
      "of firewall stays for the reason of a rule with its address",
      { [forwarding]: why, [masquerading]: why },
      [chain(), forward],
      { unreadable: ["/r/zone-c1-eth0"] },
    ],
  ])("%s", (_, expected, things, parts) => {
    expect(fatesIn(surveyWith({ things, ...parts }))).toEqual(expected);
  });
});

test("a finding names the attachment, the container and the runtime's network", () => {
  const known = knownOf("c1", "10.1.0.2");
  const second = { network: "zone-eth1", name: "lease:zone-eth1:c1", doubt: "it is new" };
  const [lease, orphan, chainless] = [
    leaseOf("c1", "10.1.0.3", second),
    leaseOf("c2", "10.1.0.4", { network: "zone-eth1" }),
    chain({ network: undefined, name: "other" }),
  ];
  const [both, none] = [{ ...forwardOf("10.1.0.3"), addresses: ["10.1.0.9", "10.1.0.3"] }, forwardOf("10.1.0.8")];
  const networks = new Map([["zone-eth1", "zone"]]);
  const things = [lease, orphan, chainless, both, none];
  const findings = findingsIn(surveyWith({ states: new Map([[known, gone]]), networks, things }));
  const ofC1 = { known, network: "zone", containerId: "c1", why: undefined };
  const nobodys = { known: undefined, network: undefined, containerId: undefined };
  expect(findings).toStrictEqual([
    { thing: lease, ...ofC1 },
    { thing: orphan, ...ofC1, known: undefined, containerId: "c2" },
    { thing: chainless, ...ofC1, network: undefined },
    { thing: both, ...ofC1 },
    { thing: none, ...nobodys, why: "nothing says whose it is" },
  ]);
});

test("a doubt names the first file or namespace that may be the container's", () => {
  const fates = (parts: Partial<Survey>) => fatesIn(surveyWith({ things: [leaseOf("c1", "10.1.0.2")], ...parts }));
  expect(fates({ unreadable: ["/r/zone-c1-eth0", "/r/zone-c1-eth1"] })).toEqual({
    "10.1.0.2": "/r/zone-c1-eth0 cannot be read",
  });
  const namespaces = ["/run/a/c1", "/run/b/c1"].map((path) => namespace(path, "10.9.0.2"));
  expect(fates({ namespaces })).toEqual({ "10.1.0.2": "/run/a/c1 may be its namespace" });
  const states = new Map<Known, AttachmentState>(
    ["one", "two"].map((why, at) => [
      knownOf("c1", `10.9.0.${at}`, [], { ...inAnotherNetwork, ifName: why }),
      { is: "unknown", why },
    ]),
  );
  expect(fates({ states })).toEqual({ "10.1.0.2": "one" });
});
