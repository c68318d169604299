import { expect, test } from "vitest";
import { cachedKey, leaseDirectoryOf, parseCachedResult, parseLease } from "../../../shared/journal/host-files.ts";
import { ipamOf } from "../../../shared/protocol/json.ts";

const kept = { kind: "cniCacheV1", containerId: "blue", networkName: "zone", ifName: "eth0" };
const key = { network: "zone", containerId: "blue", runtimeIfName: "eth0" };

test("host-local's leases are where the plugin's dataDir says, with Go's spelling", () => {
  const directories = [{}, { dataDir: "" }, { dataDir: 1 }, { DATADIR: "/run/leases" }];
  expect(directories.map((ipam) => leaseDirectoryOf(ipam, "zone"))).toEqual([
    ...Array(3).fill("/var/lib/cni/networks/zone"),
    "/run/leases/zone",
  ]);
  expect([{ IPAM: { type: "a" } }, { ipam: "a" }, {}].map(ipamOf)).toEqual([{ type: "a" }, {}, {}]);
});

test("a lease has an address as its file's name; old ones have no interface", () => {
  expect(parseLease("10.1.0.2", "blue\r\neth1")).toEqual({ address: "10.1.0.2", containerId: "blue", ifName: "eth1" });
  expect(parseLease("FD00::a", "blue")).toEqual({ address: "FD00::a", containerId: "blue", ifName: "" });
  expect(parseLease("::1", "")).toEqual({ address: "::1", containerId: "", ifName: "" });
  for (const name of ["last_reserved_ip.0", "lock", "a", "10.1.0.2.lock", "10.1.0.2 "])
    expect(parseLease(name, "blue\neth1")).toBeUndefined();
});

test("a result of libcni's says whose it is", () => {
  expect(cachedKey(kept)).toEqual(key);
  for (const name of ["networkName", "containerId", "ifName"])
    expect(cachedKey({ ...kept, [name]: 1 })).toBeUndefined();
  const entries = [
    { name: "eth0", sandbox: "/ns" },
    null,
    { name: "veth1" },
    { name: "br0", sandbox: "" },
    { sandbox: "/ns" },
  ];
  const result = { cniVersion: "1.0.0", interfaces: entries };
  expect(parseCachedResult("/a", JSON.stringify({ ...kept, result }))).toEqual({
    ...{ file: "/a", key, result },
    interfaces: [{ name: "eth0", sandbox: "/ns" }],
  });
  expect(parseCachedResult("/a", JSON.stringify({ ...kept, result: {} }))?.interfaces).toEqual([]);
  const others = [{ result }, kept, { ...kept, result: [] }].map((one) => JSON.stringify(one));
  for (const text of [undefined, "", ...others]) expect(parseCachedResult("/a", text)).toBeUndefined();
});
