import { describe, expect, test } from "vitest";
import {
  addressesIn,
  leasedTo,
  mayHaveLease,
  withAddressesOf,
  withoutAddressesOfOthers,
} from "../../../shared/delegate/taken-addresses.ts";
import type { CniResult } from "../../../shared/protocol/result.ts";
import { bootId } from "../support/fake-host.ts";
import { cached, chainedOf, entryOf, factsOf, journalFiles, zoneOfBlue } from "../support/journals.ts";

const leases = "/var/lib/cni/networks/zone";
const kernel = { "/proc/sys/kernel/random/boot_id": bootId, "/proc/uptime": "1000.0 1.0" };

const factsWith = (files: Readonly<Record<string, string>>) => factsOf({ ...kernel, ...files }).facts;

const prevResult = { ips: [{ address: "10.1.0.2/24" }, { address: "10.1.0.3/24" }, { interface: 1 }, null] };
const configuration = { type: "firewall", more: true, prevResult };

/** The addresses of 10.1.0.2 and 10.1.0.3 that another container has. */
function takenWith(files: Readonly<Record<string, string>>, given: typeof configuration = configuration) {
  return withoutAddressesOfOthers(factsWith(files), zoneOfBlue, given).taken;
}

const elsewhere = entryOf({ configuration: { IPAM: { type: "host-local", DataDir: "/run/leases" } } });
const two = { addresses: ["10.1.0.2/24"] };
const ofRed = (changes = {}) => journalFiles(entryOf({ containerId: "red", done: { made: 7, ...two }, ...changes }));
const resultOf = (containerId: string, address: string) => cached("zone", "eth0", { ips: [{ address }] }, containerId);

const ofBlue = { [`${leases}/10.1.0.2`]: "blue\neth0" };
const ofBlueElsewhere = { "/run/leases/zone/10.1.0.2": "blue\neth0" };

describe("an address that another container has", () => {
  const ofCache = resultOf("red", "10.1.0.2/24");
  const ofSibling = { network: "b", done: two };

  const here = { ...journalFiles(elsewhere), ...ofBlueElsewhere };
  const undoneHere = { ...journalFiles({ ...elsewhere, isUndone: true }), ...ofBlueElsewhere };
  const noBootId = { "/proc/sys/kernel/random/boot_id": "" };
  const ofPlugin = { done: undefined, configuration: { prevResult: { ips: [prevResult.ips[1]] } } };
  const halfRemoved = journalFiles(
    entryOf({ containerId: "red", done: { made: 7, ...two } }),
    chainedOf("portmap", { containerId: "red", isGivenUp: true }),
  );
  const ofNet1 = ofRed({ done: undefined, runtimeIfName: "net1" });

  test.each<[string, string[], Record<string, string>]>([
    ["nothing is known", [], {}],
    ["it leases it", ["10.1.0.2/24"], { [`${leases}/10.1.0.2`]: "red\neth0" }],
    ["this one leases it", [], ofBlue],
    ["both lease it", [], { [`${leases}/10.1.0.2`]: "red\neth0", "/var/lib/cni/networks/b/10.1.0.2": "blue\neth0" }],
    ["its journal has it", ["10.1.0.2/24"], ofRed()],
    ["its journal has it, and this one leases it", [], { ...ofRed(), ...ofBlue }],
    ["its journal has it, and this one leases it in another dataDir", [], { ...ofRed(), ...here }],
    ["its journal has it, and this one's creator there is undone", ["10.1.0.2/24"], { ...ofRed(), ...undoneHere }],
    ["its journal is of an earlier boot", [], ofRed({ bootId: "earlier" })],
    ["its journal may be of this boot", ["10.1.0.2/24"], { ...ofRed({ bootId: "earlier" }), ...noBootId }],
    ["its journal's only entry is given up", [], ofRed({ isGivenUp: true })],
    ["its journal is half removed", [], halfRemoved],
    ["its plugin got it", ["10.1.0.3/24"], ofRed(ofPlugin)],
    ["this container's journal has it", [], journalFiles(entryOf({ done: { made: 7, ...two } }))],
    ["libcni's result has it", ["10.1.0.3/24"], resultOf("red", "10.1.0.3/16")],
    ["libcni's result for this one has it", [], resultOf("blue", "10.1.0.3/16")],
    ["a journal tells more than libcni's result", [], { ...ofRed({ done: undefined }), ...ofCache }],
    ["a journal of another attachment tells nothing about a result", ["10.1.0.2/24"], { ...ofNet1, ...ofCache }],
    ["a sibling has firewall for it", ["10.1.0.2/24"], journalFiles(chainedOf("firewall", ofSibling))],
    ["a sibling has another plugin for it", [], journalFiles(chainedOf("portmap", ofSibling))],
  ])("%s: %j", (_, expected, files) => {
    expect(takenWith(files)).toEqual(expected);
  });

  test("is left out of prevResult, and nothing else", () => {
    const files = { [`${leases}/10.1.0.2`]: "red\neth0" };
    const { kept } = withoutAddressesOfOthers(factsWith(files), zoneOfBlue, {
      ...configuration,
      prevResult: { cniVersion: "1.0.0", ...prevResult },
    });
    expect(kept).toEqual({ ...configuration, prevResult: { cniVersion: "1.0.0", ips: prevResult.ips.slice(1) } });
    expect(withoutAddressesOfOthers(factsWith({}), zoneOfBlue, configuration).kept).toBe(configuration);
    const others = [{}, { prevResult: 1 }, { prevResult: { ips: 1 } }].map((one) => ({ type: "firewall", ...one }));
    for (const other of others) expect(withoutAddressesOfOthers(factsWith(files), zoneOfBlue, other).kept).toBe(other);
  });
});

test("no journal of another container is read if a lease says whose each address is", () => {
  const leased = { [`${leases}/10.1.0.2`]: "red\neth0", [`${leases}/10.1.0.3`]: "blue\neth0" };
  const { facts, asked } = factsOf({ ...kernel, ...ofRed(), ...leased });
  expect(withoutAddressesOfOthers(facts, zoneOfBlue, configuration).taken).toEqual(["10.1.0.2/24"]);
  expect(asked.filter((file) => file.includes("/red/"))).toEqual([]);
});

test("the addresses of a result are those that are some", () => {
  expect(addressesIn({ ips: [{ address: "10.1.0.2/24" }, { address: 1 }, { address: "a" }, null, {}] })).toEqual([
    "10.1.0.2/24",
  ]);
  for (const none of [undefined, null, {}, { ips: {} }]) expect(addressesIn(none)).toEqual([]);
});

test("the addresses of another result are added, each once", () => {
  const result: CniResult = { cniVersion: "1.0.0", ips: [{ address: "10.1.0.2/24" }] };
  expect(withAddressesOf(result, prevResult)).toEqual({
    ...{ cniVersion: "1.0.0", ips: [{ address: "10.1.0.2/24" }, { address: "10.1.0.3/24" }] },
  });
  expect(withAddressesOf(result, { ips: [{ address: "10.1.0.2/16" }] })).toBe(result);
  expect(withAddressesOf({ cniVersion: "1.0.0" }, { ips: result.ips })).toEqual(result);
});

test("the leases of an entry are those of its interface in its network", () => {
  const facts = factsWith({
    [`${leases}/10.1.0.2`]: "blue\neth0",
    [`${leases}/fd00::2`]: "blue\neth0",
    [`${leases}/10.1.0.3`]: "blue\neth1",
    [`${leases}/10.1.0.4`]: "red\neth0",
  });
  expect(leasedTo(facts, entryOf())).toEqual(["10.1.0.2/32", "fd00::2/128"]);
  expect(leasedTo(facts, elsewhere)).toEqual([]);
  expect(leasedTo(factsWith({ "/run/leases/zone/10.1.0.9": "blue\neth0" }), elsewhere)).toEqual(["10.1.0.9/32"]);
  const has = (address: string) =>
    mayHaveLease(facts, entryOf(), { cniVersion: "1.0.0", ips: [{ address: "10.9.0.9/24" }, { address }] });
  expect([has("10.1.0.2/24"), has("10.1.0.4/24")]).toEqual([true, false]);
  expect(mayHaveLease(factsWith({}), entryOf(), { cniVersion: "1.0.0" })).toBe(true);
});
