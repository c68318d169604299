import { expect, test } from "vitest";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import { callWrapper } from "../support/fake-host.ts";
import { entryOf, journalFiles } from "../support/journals.ts";

const leases = "/var/lib/cni/networks/zone";
const ofEth1 = { [`${leases}/10.1.0.5`]: "red\r\neth1" };
const ipam = { type: "host-local", subnet: "10.1.0.0/24" };

/** The network in which the delegate of an ADD of eth1 in the list zone runs. */
function networkOf(
  files: Record<string, string>,
  { wrapper, ...configuration }: JsonObject = {},
  type = "bridge",
): unknown {
  const plugin = { cniVersion: "1.0.0", name: "zone", type, ipam, ...configuration };
  const stdin = { ...plugin, wrapper: { ifName: "eth1", ...(wrapper as JsonObject) } };
  const [run] = callWrapper({ calledAs: `/opt/cni/bin/${type}-wrapper`, stdin }, { files }).runs;
  expect(run).toMatchObject({ path: `/opt/cni/bin/${type}`, env: { CNI_IFNAME: "eth1" }, stdin: { type } });
  return (run?.stdin as JsonObject | undefined)?.name;
}

// Before the list gave the interface its ifName, it was the runtime's own.
const ofRed = { containerId: "red", runtimeIfName: "eth1", ifName: "eth1", delegateNetwork: "zone" };

test.each<[string, string, Record<string, string>, JsonObject?]>([
  ["no lease", "zone-eth1", {}],
  ["a lease for it", "zone", ofEth1],
  ["a lease for another interface", "zone-eth1", { [`${leases}/10.1.0.5`]: "red\r\neth0" }],
  ["a lease outside the subnet", "zone-eth1", { [`${leases}/10.2.0.5`]: "red\r\neth1" }],
  ["a lease in a range", "zone", ofEth1, { ipam: { type: "host-local", ranges: [[{ subnet: "10.1.0.0/24" }]] } }],
  ["ranges that are none", "zone-eth1", ofEth1, { ipam: { type: "host-local", ranges: ["a", [null]] } }],
  ["another IPAM plugin", "zone-eth1", ofEth1, { ipam: { ...ipam, type: "other" } }],
  ["a network of its own in the block", "mine", ofEth1, { wrapper: { network: "mine" } }],
  ["a lease of a wrapped plugin", "zone", { ...ofEth1, ...journalFiles(entryOf(ofRed)) }],
])(
  "an interface runs in the list's network if an interface of its name has an address there: %s: %s",
  (_, expected, files, configuration) => {
    expect(networkOf(files, configuration)).toBe(expected);
  },
);

test.each(["zone", "zone-eth1"])(
  "an ADD after one in %s runs there, too, whatever leases there are",
  (delegateNetwork) => {
    const own = journalFiles(entryOf({ ifName: "eth1", delegateNetwork, isUndone: true }));
    expect(networkOf({ ...own, ...ofEth1 })).toBe(delegateNetwork);
    expect(networkOf(own)).toBe(delegateNetwork);
  },
);
