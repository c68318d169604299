import { describe, expect, test } from "vitest";
import { logOf } from "../../../shared/call/session.ts";
import {
  freesTheSame,
  withEverythingAdded,
  withoutGateways,
  withoutTakenAddresses,
  withReadablePrevResult,
} from "../../../shared/delegate/del-configuration.ts";
import type { Host } from "../../../shared/host/host.ts";
import { Facts } from "../../../shared/journal/facts.ts";
import type { Entry } from "../../../shared/journal/journal.ts";
import { sessionOn } from "../support/fake-host.ts";
import { chainedOf, entryOf, journalFiles, zoneOfBlue } from "../support/journals.ts";
import { blue } from "../support/requests.ts";

const failedTry = { done: undefined, failed: {} };

// Without a log, nothing is written.
const session = { host: {} as Host, profiles: {}, log: logOf({}, {}), cniVersion: undefined, fields: {} };

test.each([
  ["another IPAM plugin", { type: "acme" }, {}, false],
  ["another directory", { type: "host-local", dataDir: "/x" }, {}, false],
  ["another IPAM plugin, of an ADD that failed, which has freed its lease itself", { type: "acme" }, failedTry, true],
])("the list's configuration frees the same with %s: %j", (_, ipam, more, expected) => {
  const own = { type: "bridge", ipam: { type: "host-local" } };
  expect(freesTheSame(entryOf(more), own, { type: "bridge", ipam })).toBe(expected);
});

const subnet = { subnet: "10.1.0.0/24" };
const none = { gateway: null };
const noRanges = [7, [null, "x"]];

test.each([
  ["beside the only subnet", { ...subnet, gateway: "10.2.0.1" }, { ...subnet, ...none }],
  ["and what is no range stays", { gateway: "10.2.0.1", ranges: noRanges }, { ...none, ranges: noRanges }],
])("host-local's gateways are left out: %s", (_, ipam, expected) => {
  const configuration = { type: "bridge", ipam: { type: "host-local", ...ipam } };
  expect(withoutGateways(configuration)).toEqual({ type: "bridge", ipam: { type: "host-local", ...expected } });
});

test.each([
  [{ type: "host-local", ranges: [[{ subnet: "10.1.0.0/24" }]] }],
  [{ type: "static", gateway: "10.2.0.1" }],
  [{ type: "host-local", subnet: "10.1.0.0/24", gateway: "nonsense" }],
  [{ type: "host-local", ranges: [[{ gateway: "10.2.0.1" }, { gateway: 7 }]] }],
])("there is none to leave out, or no host-local has attached with it: %j", (ipam) => {
  expect(withoutGateways({ type: "bridge", ipam })).toBeUndefined();
});

// What Go's types hold, by reading types/100 and types/040 of containernetworking/cni 1.3.0.

const read = (part: object) =>
  withReadablePrevResult(session, {
    cniVersion: "1.0.0",
    type: "bridge",
    prevResult: { cniVersion: "0.4.0", ...part },
  });

test.each([
  {},
  { interfaces: null, ips: null, routes: null, dns: null, ip4: null },
  { dns: { nameservers: ["10.0.0.1"], domain: null, search: null, options: [] }, unknown: 7 },
  { interfaces: [{ name: "eth0", mac: "", mtu: 1500, socketPath: "/run/x", pciID: null }] },
  { ips: [{ version: "4", address: "10.0.0.2/24", gateway: "" }] },
  { ips: [{ address: "fd00::2/64", gateway: "fd00::1" }] },
  { routes: [{ dst: "0.0.0.0/0", gw: null, mtu: 0, advmss: 1, priority: -1, table: null, scope: 253 }, {}] },
])("a prevResult that a plugin can read gets the configuration's version: %j", (part) => {
  expect(read(part)).toEqual({ cniVersion: "1.0.0", type: "bridge", prevResult: { ...part, cniVersion: "1.0.0" } });
});

describe("one that no plugin can read counts as none", () => {
  test.each([
    { interfaces: [{ mac: 1 }] },
    { interfaces: [{ socketPath: {} }] },
    { interfaces: [{ pciID: 7 }] },
    { interfaces: [{ name: 7 }] },
    { interfaces: [{ sandbox: 7 }] },
    { interfaces: [{ socketpath: "/run/x" }] },
    { ips: [{ address: "10.0.0.2/24", interface: 0.5 }] },
    { ips: [{ address: "10.0.0.2/24", gateway: ["10.0.0.1"] }] },
    { ips: [{ address: "10.0.0.2/33" }] },
    { ips: [{ address: "10.0.0.2/24" }, { address: "10.0.0.2" }] },
    { ips: [{ address: null }] },
    { ips: [{ address: "10.0.0.2/24", gateway: "10.0.0.1/24" }] },
    { ips: [{ address: "10.0.0.2/24", version: 4 }] },
    { routes: [{ dst: "default" }] },
    { dns: "" },
    { dns: { domain: 1 } },
    ...["nameservers", "search", "options"].map((key) => ({ dns: { [key]: [1] } })),
    { ip4: { ip: "10.0.0.2" } },
    { ip4: { ip: "10.0.0.2/24", gateway: "router" } },
    { CNIVersion: "0.4.0" },
    { ip6: { ip: "fd00::2/64", routes: [{ dst: "default" }] } },
    { ips: [{ address: "10.0.0.2/24", Gateway: "10.0.0.1" }] },
    ...["mtu", "advmss", "priority", "table", "scope"].map((key) => ({ routes: [{ [key]: 1.5 }] })),
  ])("%j", (part) => {
    expect(read(part)).toEqual({ cniVersion: "1.0.0", type: "bridge" });
  });

  test.each([
    [{ interfaces: [{ mtu: "1500" }] }, "prevResult.interfaces[0].mtu must be a whole number"],
    [{ ips: [{ address: "10.0.0.2" }] }, "prevResult.ips[0].address must be an address with a length"],
    [{ routes: [{ gw: "router" }] }, "prevResult.routes[0].gw must be an address"],
    [{ ips: [{ Address: "10.0.0.2/24" }] }, "prevResult.ips[0] must spell its keys as the specification does"],
  ])("with a warning that says why: %j", (part, why) => {
    const lines: string[] = [];
    const appendLine = (_: string, line: string) => void lines.push(JSON.parse(line).message);
    const host = { env: {}, now: () => 0, appendLine } as Partial<Host> as Host;
    const log = logOf({ CNI_WRAPPERS_LOG: "/log" }, {});
    const given = { cniVersion: "1.0.0", prevResult: part };
    expect(withReadablePrevResult({ ...session, host, log }, given)).toEqual({ cniVersion: "1.0.0" });
    expect(lines).toEqual([`prevResult is ignored: no plugin can read it: ${why}`]);
  });
});

test("a configuration without a version has a prevResult without one: no configuration says 0.1.0 otherwise", () => {
  const configuration = { type: "bridge", prevResult: { cniVersion: "0.4.0", ips: [] } };
  const shown = { type: "bridge", prevResult: { cniVersion: "", ips: [] } };
  expect(withReadablePrevResult(session, configuration)).toEqual(shown);
});

test("the interfaces that a plugin added are in prevResult, after the others and with all else", () => {
  const [first, added] = [
    { name: "eth0", sandbox: blue },
    { name: "eth0b", sandbox: blue },
  ];
  const done = { addresses: [], added: [added] };
  const configuration = { type: "tuning", name: "zone", prevResult: { cniVersion: "1.0.0", interfaces: [first] } };
  expect(withEverythingAdded(chainedOf("tuning", { done, configuration }))).toEqual({
    ...configuration,
    prevResult: { cniVersion: "1.0.0", interfaces: [first, added] },
  });
  const without = { type: "tuning", name: "zone" };
  expect(withEverythingAdded(chainedOf("tuning", { done, configuration: without }))).toEqual(without);
});

test.each<[string, Entry, number]>([
  ["a chained plugin whose rules are named by addresses: they are left out", chainedOf("firewall"), 1],
  ["an unknown chained plugin: they are left out", chainedOf("mark"), 1],
  ["a chained plugin whose rules have other names", chainedOf("tuning"), 3],
  ["an unknown creator", entryOf({ type: "mark" }), 3],
])("addresses of another container, for %s", (_, entry, count) => {
  const ips = ["10.1.0.2/24", "10.1.0.4/24", "10.1.0.3/24"].map((address) => ({ address }));
  const red = entryOf({ containerId: "red", done: { addresses: ["10.1.0.2/24", "10.1.0.4/24"] } });
  const { session: own, seen } = sessionOn({ files: journalFiles(red) });
  const facts = new Facts(own.host);
  const undoing = {
    ...{ session: { ...own, log: logOf({ CNI_WRAPPERS_LOG: "/log" }, {}) }, facts },
    ...{ journal: facts.journal(zoneOfBlue), netns: blue },
  };
  const configuration = { type: entry.type, prevResult: { ips } };
  expect(withoutTakenAddresses(undoing, entry, configuration)).toEqual({
    ...configuration,
    prevResult: { ips: ips.slice(-count) },
  });
  const messages = seen().log.map(({ line }) => JSON.parse(line).message);
  const warning = "another container has 10.1.0.2/24, 10.1.0.4/24 by now: DEL does not remove its rules";
  expect(messages).toEqual(count === 1 ? [warning] : []);
});
