import { basename, dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { bootIdOf, isClaimed } from "../../../shared/act/record-search.ts";
import { HostRecords } from "../../../shared/act/record-store.ts";
import type { Host } from "../../../shared/host/host.ts";
import { type AttachmentRecord, recordFile } from "../../../shared/record/record.ts";
import { bootId } from "../support/fake-host.ts";
import { recordOf } from "../support/records.ts";
import { blue } from "../support/requests.ts";

const directory = "/var/lib/cni/wrappers";
const bootFile = "/proc/sys/kernel/random/boot_id";
const eth0 = recordOf();
const eth1 = recordOf({ ifName: "eth1" });
const entry = (record: AttachmentRecord) => [recordFile(record), JSON.stringify(record)] as const;

/** A host that has these files, and the namespace of the container blue. */
function hostOf(...files: (readonly [string, string])[]): Host {
  const all = new Map<string, string>([[bootFile, `${bootId}\n`], ...files]);
  return {
    readFile: (path: string) => all.get(path),
    listDirectory: (path: string) =>
      [...all.keys()].filter((file) => dirname(file) === path).map((file) => basename(file)),
    stat(path: string) {
      if (path === blue) return { device: 4, inode: 4026531840, modifiedMs: 0 };
      return all.has(path) ? { device: 1, inode: 2, modifiedMs: 0 } : undefined;
    },
  } as unknown as Host;
}

describe("the records on a host", () => {
  const chained = `${recordFile(eth1)}:portmap-1`;
  const other = recordOf({ containerId: "blue2" });
  const added = [{ name: "tap0", sandbox: blue }];
  const records = new HostRecords(
    hostOf(
      entry(eth0),
      entry(eth1),
      entry(other),
      [chained, JSON.stringify({ ...eth1, added })],
      [`${recordFile(eth1)}:tuning-1`, JSON.stringify(eth1)],
      [`${directory}/zone:blue:eth0:broken`, "{"],
    ),
  );

  test("are found by their key", () => {
    expect(records.find(eth1)).toEqual({ file: recordFile(eth1), record: eth1 });
    expect(records.find({ ...eth1, ifName: "broken" })).toBeUndefined();
    expect(records.find({ ...eth1, ifName: "eth2" })).toBeUndefined();
    expect(records.has(chained)).toBe(true);
    expect(records.has(`${chained}2`)).toBe(false);
  });

  test("of an attachment: those of its interfaces", () => {
    expect(records.ofAttachment(eth0).map(({ record }) => record)).toEqual([eth0, eth1]);
    expect(records.ofAttachment({ ...eth0, runtimeIfName: "net1" })).toEqual([]);
  });

  test("of a meta plugin: those of its type", () => {
    expect(records.ofMeta(eth1, "portmap")).toEqual([chained]);
    expect(records.ofMeta(eth1, "port")).toEqual([]);
    expect(records.ofMeta(eth0, "portmap")).toEqual([]);
  });

  test("in some files: the readable ones", () => {
    const broken = `${directory}/zone:blue:eth0:broken`;
    const files = [chained, `${recordFile(eth1)}:tuning-1`, broken, "/missing"];
    expect(records.read(files)).toEqual([{ ...eth1, added }, eth1]);
  });
});

describe("leases that another attachment of the container may have", () => {
  const made = recordOf({ ifName: "eth1", runtimeIfName: "net1" });
  const { made: _, ...killed } = made;
  const failed = { ...made, made: 0 };
  const earlier = { ...eth1, bootId: "before" };
  const may = (own: AttachmentRecord, ...files: (readonly [string, string])[]) =>
    new HostRecords(hostOf(entry(own), ...files)).mayShareLeases(own);

  test("are those of the same interface in the same network", () => {
    expect(may(made, entry(eth1))).toBe(true);
    expect(may(made)).toBe(false);
    expect(may(made, entry(eth0))).toBe(false);
    expect(may(made, entry({ ...eth1, delegateNetwork: "disc" }))).toBe(false);
    expect(may(made, entry({ ...eth0, delegateNetwork: eth1.delegateNetwork }))).toBe(false);
    expect(may(made, entry({ ...eth1, containerId: "red" }))).toBe(false);
    expect(may(made, [`${directory}/zone:blue:eth0:eth2`, "{"])).toBe(false);
  });

  test.each([earlier, { ...eth1, namespace: "4:1" }])(
    "outlive its boot or namespace if this one's ADD made nothing: %j",
    (other) => {
      expect(may(failed, entry(other))).toBe(true);
      expect(may(killed, entry(other))).toBe(true);
      expect(may(made, entry(other))).toBe(false);
      expect(may(failed, entry({ ...other, made: 0 }))).toBe(false);
    },
  );
});

/** The same host, with a directory that has these names. */
function hostDirectories(host: Host, [directory, names]: readonly [string, readonly string[]]): Host {
  return { ...host, listDirectory: (path) => (path === directory ? names : host.listDirectory(path)) };
}

describe("host-local's leases", () => {
  const leases = (text: string) =>
    new HostRecords(hostOf(["/leases/zone/10.0.0.2", text])).leases("/leases/zone", () => true);
  const lease = { address: "10.0.0.2", containerId: "blue", ifName: "eth1" };

  test.each(["blue\r\neth1", "blue\neth1\n", "blue\r\neth1\r\n"])(
    "have the container and the interface: %j",
    (text) => {
      expect(leases(text)).toEqual([lease]);
    },
  );

  test("are found by their address, in every network", () => {
    const networks = "/var/lib/cni/networks";
    const records = new HostRecords(
      hostDirectories(
        hostOf([`${networks}/zone/10.0.0.2`, "blue\r\neth1"], [`${networks}/disc/10.0.0.3`, "red\r\neth1"]),
        [networks, ["zone", "disc"]],
      ),
    );
    expect(records.leasesOf("10.0.0.2")).toEqual([lease]);
    expect(records.leasesOf("10.0.0.4")).toEqual([]);
  });

  test("are files with two lines", () => {
    expect(leases("10.0.0.2")).toEqual([]);
    expect(new HostRecords(hostOf()).leases("/leases/zone", () => true)).toEqual([]);
  });

  test("do not count if the file is gone when it is read", () => {
    const host = { ...hostOf(["/leases/zone/10.0.0.2", "blue\neth1"]), readFile: () => undefined };
    expect(new HostRecords(host).leases("/leases/zone", () => true)).toEqual([]);
  });

  test("are read only of the wanted addresses", () => {
    const host = hostOf(["/leases/zone/10.0.0.2", "blue\neth1"], ["/leases/zone/10.0.0.3", "red\neth1"]);
    const read: string[] = [];
    const readFile = (path: string) => {
      read.push(path);
      return host.readFile(path);
    };
    const wanted = new HostRecords({ ...host, readFile }).leases("/leases/zone", (address) => address === "10.0.0.2");
    expect(wanted).toEqual([lease]);
    expect(read).toEqual(["/leases/zone/10.0.0.2"]);
  });
});

describe("an interface of a name", () => {
  const other = recordOf({ network: "other", runtimeIfName: "net1", ifName: "eth1", made: 9 });
  const belongsToAnother = (made: number | undefined, index: number, ...files: (readonly [string, string])[]) =>
    new HostRecords({ ...hostOf(...files), linkIndex: () => index }).belongsToAnother(eth1, blue, made);

  test("belongs to another attachment that has one, unless its index is this one's", () => {
    expect(belongsToAnother(undefined, 9, entry(other))).toBe(true);
    expect(belongsToAnother(7, 9, entry(other))).toBe(true);
    expect(belongsToAnother(7, 7, entry(other))).toBe(false);
  });

  test("is this attachment's if no other has one", () => {
    expect(belongsToAnother(7, 9)).toBe(false);
    expect(belongsToAnother(undefined, 9, entry({ ...other, ifName: "eth2" }))).toBe(false);
  });
});

describe("the files of a network", () => {
  const ofNetwork = (...files: (readonly [string, string])[]) => new HostRecords(hostOf(...files)).ofNetwork("zone");

  test("name their owner and tell whether the namespace is still there", () => {
    const gone = recordOf({ containerId: "gone", netns: "/run/netns/gone" });
    const made = recordOf({ containerId: "again", namespace: "4:1" });
    const earlier = recordOf({ containerId: "earlier", bootId: "before" });
    const seen = ofNetwork(...[eth0, gone, made, earlier].map(entry));
    expect(seen.map(({ owner, isLive }) => [owner.containerId, isLive])).toEqual([
      ["blue", true],
      ["gone", false],
      ["again", false],
      ["earlier", false],
    ]);
  });

  test("are read once: a record whose second read would fail is no invalid one", () => {
    const [host, read] = [hostOf(entry(eth0)), new Set<string>()];
    const readFile = (path: string) => {
      if (path !== bootFile && read.has(path)) return undefined;
      read.add(path);
      return host.readFile(path);
    };
    expect(new HostRecords({ ...host, readFile }).ofNetwork("zone")).toMatchObject([{ record: eth0 }]);
  });

  test("do not count if they are gone when they are read", () => {
    const host = { ...hostOf(entry(eth0)), readFile: () => undefined };
    expect(new HostRecords(host).ofNetwork("zone")).toEqual([]);
    expect(new HostRecords(host).holdings()).toEqual([]);
  });

  test("may be unfinished: the name tells the owner, and they count once their writer has ended", () => {
    const unfinished = `${directory}/.zone:blue:net1:eth1:4712-99`;
    const owner = { network: "zone", containerId: "blue", runtimeIfName: "net1" };
    const others = [`${directory}/.zone-two:blue:net1:eth1:4712-99`, `${directory}/.4712-98`];
    const files = [unfinished, ...others].map((file) => [file, ""] as const);
    expect(ofNetwork(...files)).toStrictEqual([{ file: unfinished, owner, record: undefined, isLive: false }]);
    expect(ofNetwork(...files, ["/proc/4712", ""])).toEqual([]);
  });

  test("may be live if the boot id cannot be read", () => {
    const host = hostOf(entry(recordOf({ netns: "/run/netns/gone" })));
    const readFile = (path: string) => (path === bootFile ? undefined : host.readFile(path));
    expect(new HostRecords({ ...host, readFile }).ofNetwork("zone")).toMatchObject([{ isLive: true }]);
  });

  test("are live if a later ADD ran in a namespace that is still there", () => {
    const gone = { netns: "/run/netns/gone", namespace: "4:1" };
    const later = { netns: blue, namespace: "4:4026531840", recordedMs: 0 };
    expect(ofNetwork(entry(recordOf({ ...gone, later })))).toMatchObject([{ isLive: true }]);
    expect(ofNetwork(entry(recordOf({ ...gone, later: { ...later, ...gone } })))).toMatchObject([{ isLive: false }]);
    expect(ofNetwork(entry(recordOf({ later, bootId: "before" })))).toMatchObject([{ isLive: false }]);
  });

  test("need not be records of interfaces", () => {
    const routes = { network: "zone", containerId: "blue", runtimeIfName: "eth0" };
    const file = `${directory}/zone:blue:eth0::routes`;
    expect(ofNetwork([file, JSON.stringify(routes)])).toMatchObject([{ file, owner: routes, isLive: false }]);
    expect(ofNetwork([`${directory}/zone:x`, "{"], entry(recordOf({ network: "zone-two" })))).toEqual([]);
  });
});

test("the addresses of records and of libcni's results, with their containers", () => {
  const ips = [{ address: "10.1.0.5/16" }, { address: 7 }, null];
  // A meta plugin's record has the addresses of earlier ADDs. The container does not have them any more.
  const chained = recordOf({ containerId: "red", addresses: ["10.1.0.4/16"], configuration: { prevResult: { ips } } });
  const holdings = new HostRecords(
    hostOf(
      entry(recordOf({ addresses: ["10.1.0.2/16", "fd00::2/64"] })),
      [`${recordFile(chained)}:firewall-1`, JSON.stringify(chained)],
      ["/var/lib/cni/results/zone-green-eth0", JSON.stringify({ containerId: "green", result: { ips } })],
      ["/var/lib/cni/results/zone-pink-eth0", JSON.stringify({ containerId: "pink", result: { interfaces: [] } })],
      ["/var/lib/cni/results/broken", "{"],
      ["/var/lib/cni/results/old", JSON.stringify({ containerId: 1, result: { ip4: {} } })],
    ),
  ).holdings();
  expect(holdings.toSorted((one, other) => one.containerId.localeCompare(other.containerId))).toEqual([
    { containerId: "blue", addresses: ["10.1.0.2/16", "fd00::2/64"] },
    { containerId: "green", addresses: ["10.1.0.5/16"] },
    { containerId: "pink", addresses: [] },
    { containerId: "red", addresses: ["10.1.0.5/16"] },
  ]);
});

describe("an interface is claimed", () => {
  const plan = { key: eth0, netns: blue };
  const cached = (
    changes: object,
    result: unknown = { interfaces: [{ name: "lo" }, { name: "eth0", sandbox: blue }] },
  ) => ["/var/lib/cni/results/other-blue-eth0", JSON.stringify({ containerId: "blue", result, ...changes })] as const;

  test("by libcni's result for this container and namespace", () => {
    expect(isClaimed(hostOf(cached({})), plan)).toBe(true);
    expect(isClaimed(hostOf(cached({ containerId: "blue2" })), plan)).toBe(false);
    expect(isClaimed(hostOf(cached({}, { interfaces: [{ name: "eth0" }, 7, null] })), plan)).toBe(false);
  });

  test.each([null, 7, {}, { interfaces: {} }, { interfaces: null }])("not by a result like %j", (result) => {
    expect(isClaimed(hostOf(cached({}, result)), plan)).toBe(false);
  });

  test("not by a result that is gone when it is read", () => {
    expect(isClaimed({ ...hostOf(cached({})), readFile: () => undefined }, plan)).toBe(false);
  });

  test("not by invalid JSON or by another container's result", () => {
    expect(isClaimed(hostOf(["/var/lib/cni/results/other-blue-eth0", "{"]), plan)).toBe(false);
    expect(isClaimed(hostOf(["/var/lib/cni/results/red", cached({})[1]]), plan)).toBe(false);
  });

  test("by another record of the container", () => {
    expect(isClaimed(hostOf(entry(eth0)), plan)).toBe(false);
    expect(isClaimed(hostOf(entry(eth0), entry({ ...eth0, network: "other" })), plan)).toBe(true);
    expect(isClaimed(hostOf(entry({ ...eth0, network: "other", containerId: "red" })), plan)).toBe(false);
    const chained = [`${recordFile({ ...eth0, network: "other" })}:portmap-1`, entry(eth0)[1]] as const;
    expect(isClaimed(hostOf(chained), plan)).toBe(false);
  });
});

describe("a record of another attachment claims an interface", () => {
  const plan = { key: eth1, netns: blue };
  const other = { ...eth1, network: "other" };
  const later = { netns: blue, namespace: other.namespace, recordedMs: 0 };
  const host = (record: AttachmentRecord) => hostOf(entry(record));

  test("of its own boot and namespace, or of that of a later ADD", () => {
    expect(isClaimed(host(other), plan)).toBe(true);
    expect(isClaimed(host({ ...other, bootId: "before" }), plan)).toBe(false);
    expect(isClaimed(host({ ...other, namespace: "4:1" }), plan)).toBe(false);
    expect(isClaimed(host({ ...other, namespace: "4:1", later }), plan)).toBe(true);
  });

  test("together with libcni's result for it", () => {
    const cached = { containerId: "blue", networkName: "other", ifName: "eth0" };
    const result = { interfaces: [{ name: "eth1", sandbox: blue }] };
    const file = ["/var/lib/cni/results/other-blue-eth0", JSON.stringify({ ...cached, result })] as const;
    const claims = (changes: Partial<AttachmentRecord>) =>
      isClaimed(hostOf(file, entry({ ...other, made: 0, ...changes })), plan);
    expect(isClaimed(hostOf(file), plan)).toBe(true);
    expect(claims({})).toBe(true);
    expect(claims({ bootId: "before" })).toBe(false);
    expect(claims({ bootId: "before", runtimeIfName: "net1" })).toBe(true);
    expect(claims({ bootId: "before", containerId: "red" })).toBe(true);
  });

  test("if the namespace or the boot cannot be read", () => {
    const earlier = host({ ...other, bootId: "before" });
    expect(isClaimed(earlier, { ...plan, netns: "" })).toBe(true);
    const readFile = (path: string) => (path === bootFile ? undefined : earlier.readFile(path));
    expect(isClaimed({ ...earlier, readFile }, plan)).toBe(true);
  });
});

test("the boot id is one line, or unknown", () => {
  expect(bootIdOf(hostOf())).toBe(bootId);
  expect(bootIdOf(hostOf([bootFile, "\n"]))).toBeUndefined();
  expect(bootIdOf({ readFile: () => undefined } as unknown as Host)).toBeUndefined();
});
