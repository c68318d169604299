import { describe, expect, test } from "vitest";
import { Facts } from "../../../shared/journal/facts.ts";
import { type Entry, journalDirectory } from "../../../shared/journal/journal.ts";
import { bootId, type Call, callWrapper, exits, type Machine } from "../support/fake-host.ts";
import {
  cached,
  chainedOf,
  entryOf,
  factsOf,
  journal,
  journalFiles,
  net1,
  tryOf,
  zoneOfBlue,
} from "../support/journals.ts";
import { bothResult, bridgeResult, macvlanResult } from "../support/results.ts";

const zone = { cniVersion: "1.0.0", name: "zone" };
const bridge = { ...zone, wrapper: { ifName: "eth1" }, ipam: { type: "host-local", subnet: "172.26.64.0/20" } };
const lease = "blue\r\neth1";

const ofNet1 = cached("other", "net1", bothResult);

/** A host with two siblings, a result and a lease for each of them, and another container. */
function hostOf(...entries: readonly Entry[]): Machine {
  const siblings = ["net1", "net2"].flatMap((runtimeIfName) => [
    entryOf({ network: "other", runtimeIfName }),
    chainedOf("firewall", { network: "other", runtimeIfName }),
  ]);
  const files = {
    ...journalFiles(...entries, ...siblings, entryOf({ containerId: "red" })),
    ...ofNet1,
    ...cached("other", "net2", bothResult),
    "/var/lib/cni/networks/zone/172.26.64.9": lease,
    "/var/lib/cni/networks/other/172.26.64.8": lease,
  };
  return { files, links: [7], answers: [exits(0, bridgeResult)] };
}

const own = [entryOf(), entryOf({ ifName: "eth1" }), chainedOf("firewall", { ifName: "eth1" })];
const unknownIndex = { addresses: ["172.26.64.9/20"] };
const firewall = { ...zone, wrapper: { ifName: "eth1" }, prevResult: bothResult };

test.each<[string, string, Call, Machine]>([
  ["ADD", "bridge", { stdin: { ...bridge, prevResult: macvlanResult } }, hostOf()],
  ["ADD", "bridge", { stdin: { ...bridge, prevResult: macvlanResult } }, hostOf(entryOf(), tryOf({ ifName: "eth1" }))],
  ["ADD", "bridge", { stdin: bridge }, hostOf(...own.map((one) => ({ ...one, bootId: "earlier" })))],
  ["CHECK", "bridge", { stdin: { ...bridge, prevResult: bothResult } }, hostOf(...own)],
  ["CHECK", "bridge", { stdin: { ...bridge, prevResult: bothResult } }, hostOf()],
  ["DEL", "bridge", { stdin: { ...bridge, prevResult: bothResult } }, hostOf(...own)],
  ["DEL", "bridge", { stdin: bridge }, hostOf(entryOf({ ifName: "eth1", done: unknownIndex }))],
  ["DEL", "bridge", { stdin: { ...bridge, prevResult: bothResult } }, hostOf()],
  ["DEL", "firewall", { stdin: firewall }, hostOf(...own)],
  ["GC", "bridge", { stdin: { ...bridge, "cni.dev/valid-attachments": [] } }, hostOf(...own)],
])("%s of %s reads each file and lists each directory once, case %#", (command, plugin, call, machine) => {
  const env = { ...call.env, CNI_COMMAND: command };
  const { asked, runs, files } = callWrapper({ ...call, calledAs: `/opt/cni/bin/${plugin}-wrapper`, env }, machine);
  const again = asked.filter((path, index) => asked.indexOf(path) !== index);
  // Between the DELs of several entries, another call may write to the container's journals, and until one is removed.
  const isUndone = command !== "CHECK" && runs.length > (command === "DEL" ? 1 : 2);
  const isRemoved = command === "DEL" && machine.files?.[journal] !== undefined && files[journal] === undefined;
  const isFixed = (path: string) => !(isUndone || isRemoved) || !path.startsWith("/var/lib/cni/wrappers/blue");
  expect(again.filter(isFixed)).toEqual([]);
  expect(asked).toContain(journal.slice(0, command === "GC" ? 21 : undefined));
});

const boot = { "/proc/sys/kernel/random/boot_id": "id\n", "/proc/uptime": "9.5 1\n" };

test("a moment is a boot and a time: it is unknown without one of them", () => {
  expect(factsOf(boot).facts.moment()).toEqual({ bootId: "id", uptime: 9.5 });
  for (const path of Object.keys(boot)) expect(factsOf({ ...boot, [path]: "" }).facts.moment()).toBeUndefined();
});

test("what is in a namespace of another container is unknown without the boot", () => {
  const { namespace } = entryOf();
  const red = entryOf({ containerId: "red" });
  expect(factsOf(journalFiles(red)).facts.strangers("blue", namespace)).toEqual([]);
  const ofBoot = { ...journalFiles({ ...red, bootId: "id" }), ...boot };
  expect(factsOf(ofBoot).facts.strangers("blue", namespace)).toHaveLength(1);
});

test("a namespace is looked at once, a journal is parsed once, and a changed one is kept", () => {
  const { facts, asked } = factsOf(journalFiles(entryOf()));
  const found = facts.journal(zoneOfBlue);
  expect(facts.namespace("/run/netns/a")).toEqual(facts.namespace("/run/netns/a"));
  expect(facts.journal(zoneOfBlue)).toBe(found);
  const changed = { ...found, isTorn: true };
  facts.keep(changed);
  expect(facts.journal(zoneOfBlue)).toBe(changed);
  expect(asked).toEqual([journal, "stat /run/netns/a"]);
});

test("the results of a container are looked for in the files that have its name", () => {
  const files = { ...ofNet1, "/var/lib/cni/results/zone-red-eth0": "{}" };
  const { facts, asked } = factsOf(files);
  expect(facts.results("blue")).toEqual([facts.result({ containerId: "blue", ...net1 })]);
  expect(asked).toEqual(["/var/lib/cni/results/other-blue-net1"]);
  expect(facts.result(zoneOfBlue)).toBeUndefined();
});

describe("libcni's results for the other attachments of a container", () => {
  const here = entryOf().namespace;
  const namesIn = (files: Readonly<Record<string, string>>) => {
    const results = factsOf(files).facts.otherResults(zoneOfBlue, here);
    return results.map(({ interfaces }) => interfaces.map(({ name }) => name));
  };
  test("of another container are not among them, even if its name has this one's in it", () => {
    const [[, text = ""] = []] = Object.entries(ofNet1);
    expect(namesIn({ "/var/lib/cni/results/other-blue2-net1": text.replace('"blue"', '"blue2"') })).toEqual([]);
  });

  const elsewhere = { ...net1, namespace: { ...here, inode: 1 } };
  test.each<[string, Entry[], string[][]]>([
    ["say nothing about interfaces that a journal knows", [entryOf(net1)], [["eth1"]]],
    ["say nothing about another namespace", [entryOf(elsewhere)], []],
    ["count if a stray ADD is all", [tryOf({ ...net1, stray: true, isGivenUp: true })], [["eth0", "eth1"]]],
    ["count if one entry is of the namespace", [tryOf(elsewhere), chainedOf("firewall", net1)], [["eth1"]]],
  ])("%s", (_, entries, names) => {
    expect(namesIn({ ...ofNet1, ...journalFiles(...entries) })).toEqual(names);
  });

  test("count if the journal could be read before: too many files are open by now", () => {
    const { facts, host } = factsOf({ ...ofNet1, ...journalFiles(entryOf(net1)) });
    facts.siblings(zoneOfBlue);
    const { readFile } = host;
    host.readFile = (path) => (path.startsWith(journalDirectory) ? undefined : readFile(path));
    host.stat = () => ({ device: 1, inode: 1, size: 1, modifiedMs: 0, changedMs: 0 });
    facts.forget("blue");
    expect(facts.otherResults(zoneOfBlue, here)).toHaveLength(1);
  });

  test("do not count if the attachment was undone since its journal was found: its runtime removes the result next", () => {
    const { facts, all } = factsOf({ ...ofNet1, ...journalFiles(entryOf(net1)) });
    facts.siblings(zoneOfBlue);
    all.delete("/var/lib/cni/wrappers/blue/other:net1");
    facts.forget("blue");
    expect(facts.otherResults(zoneOfBlue, here)).toEqual([]);
  });
});

describe("what siblings have is unknown", () => {
  const [own, other] = ["/var/lib/cni/wrappers/blue/zone:eth0", "/var/lib/cni/wrappers/blue/other:net1"];
  /** `unlisted` is a directory that cannot be read, and `isRead` says which file can. */
  const unreadable = (unlisted: string, isRead: (file: string) => boolean, gone?: string, size = 1) => {
    const { host } = factsOf(journalFiles(entryOf(), entryOf(net1)));
    const found = { device: 1, inode: 1, size, modifiedMs: 0, changedMs: 0 };
    const facts = new Facts({
      readFile: (path) => (isRead(path) ? host.readFile(path) : undefined),
      listDirectory: (path) => (path === unlisted ? undefined : host.listDirectory(path)),
      stat: (path) => (path === gone ? undefined : found),
    });
    return facts.unreadableSibling(zoneOfBlue);
  };
  const all = () => true;
  const [directory, results] = ["/var/lib/cni/wrappers/blue", "/var/lib/cni/results"];

  test.each([
    ["not if all can be read", "", all, undefined, undefined],
    ["if the container's directory cannot be listed", directory, all, undefined, directory],
    ["if libcni's results cannot be listed", results, all, undefined, results],
    ["if one cannot be read", "", (file: string) => file === own, undefined, other],
    ["not if that is gone by now", "", (file: string) => file === own, other, undefined],
    ["not if its own journal cannot be read", "", (file: string) => file === other, undefined, undefined],
  ] as const)("%s", (_, unlisted, isRead, gone, expected) => {
    expect(unreadable(unlisted, isRead, gone)).toBe(expected);
    if (unlisted === "") expect(unreadable(unlisted, isRead, gone, 0)).toBeUndefined();
  });
});

const namespace = { path: "/run/netns/blue", device: 4, inode: 7, changedMs: 1 };
const file = (inode: number, changedMs = 1, device = 4) => ({ device, inode, size: 0, modifiedMs: 0, changedMs });

/** Whether the namespace is there on a host with these files, mounts and names in directories. */
function isThere(
  files: Readonly<Record<string, ReturnType<typeof file> | undefined>>,
  mounts: Readonly<Record<string, string>> = {},
  names: Readonly<Record<string, readonly string[]>> = {},
): boolean {
  const host = {
    readFile: (path: string) => mounts[path],
    listDirectory: (path: string) => ({ "/proc": ["1"], ...names })[path] ?? [],
    stat: (path: string) => ({ "/proc/1/stat": file(1), ...files })[path],
  };
  return new Facts(host).isThere(namespace);
}

const mount = (inode: number, path: string) => `1 2 0:4 net:[${inode}] ${path} rw shared:1 - nsfs nsfs rw\n`;

test("a namespace is there at its path, and at another mount of the host's", () => {
  expect(isThere({ "/run/netns/blue": file(7) })).toBe(true);
  expect(isThere({ "/run/netns/blue": file(8) })).toBe(false);
  expect(isThere({ "/run/netns/blue": file(7, 1, 5) })).toBe(false);
  expect(isThere({})).toBe(false);
  const [elsewhere, other] = [{ "/a b": file(7) }, { "/a b": file(8) }];
  for (const process of ["self", "1"]) {
    const mounts = { [`/proc/${process}/mountinfo`]: mount(9, "/c") + mount(7, "/a\\040b") };
    expect(isThere(elsewhere, mounts)).toBe(true);
    expect(isThere(other, mounts)).toBe(false);
    expect(isThere({ "/c": file(7) }, mounts)).toBe(false);
  }
  expect(isThere(elsewhere, { "/proc/2/mountinfo": mount(7, "/a\\040b") })).toBe(false);
});

test("where another one has its inode, it is gone, unless one mount is the same", () => {
  const [names, inUse] = [{ "/proc": ["12"] }, { "/proc/12/ns/net": file(7) }];
  const mounts = { "/proc/self/mountinfo": mount(7, "/a") };
  expect(isThere({ ...inUse, "/run/netns/blue": file(7, 2) }, {}, names)).toBe(false);
  expect(isThere({ ...inUse, "/run/netns/blue": file(7, 2), "/a": file(7, 1) }, mounts, names)).toBe(true);
  // A file of another file system is no namespace.
  expect(isThere({ ...inUse, "/run/netns/blue": file(7, 2, 5) }, {}, names)).toBe(true);
});

test("a namespace is there while a process runs in it, or one of its threads", () => {
  const inside = { "/proc/12/ns/net": file(7) };
  expect(isThere(inside, {}, { "/proc": ["1", "12"] })).toBe(true);
  expect(isThere({ "/proc/12/ns/net": file(8) }, {}, { "/proc": ["1", "12"] })).toBe(false);
  for (const name of ["12a", "a12"])
    expect(isThere({ [`/proc/${name}/ns/net`]: file(7) }, {}, { "/proc": ["1", name] })).toBe(false);
  const threads = { "/proc": ["1", "12"], "/proc/12/task": ["12", "13"] };
  expect(isThere({ "/proc/12/task/13/ns/net": file(7) }, {}, threads)).toBe(true);
  expect(isThere({ "/proc/12/task/13/ns/net": file(8) }, {}, threads)).toBe(false);
  expect(isThere({ "/proc/12/ns/net": file(8), "/proc/12/task/13/ns/net": file(7) }, {}, threads)).toBe(false);
});

test("a namespace may be there while a process runs that cannot be looked at", () => {
  const names = { "/proc": ["1", "12"], "/proc/1/task": ["1"], "/proc/12/task": ["12"] };
  const there = { "/proc/12/task/12/ns": file(5) };
  expect(isThere(there, {}, names)).toBe(true);
  // It has just ended.
  expect(isThere({ ...there, "/proc/12/task/12/ns/user": file(6) }, {}, names)).toBe(false);
  expect(isThere({}, {}, names)).toBe(false);
  // The first one is the host's own.
  expect(isThere({ "/proc/1/task/1/ns": file(5) }, {}, names)).toBe(false);
  // With hidepid, the first process is not listed, or its files are missing. Too many files may be open to list any.
  const other = { "/proc/12/ns/net": file(8) };
  const hidden = { ...other, "/proc/1/stat": undefined };
  const isHidden = (files: Parameters<typeof isThere>[0], ...processes: string[]) =>
    isThere(files, {}, { "/proc": processes });
  expect([isHidden(hidden, "1", "12"), isHidden(other, "12"), isHidden(other)]).toEqual([true, true, true]);
  expect(isHidden(other, "1", "12")).toBe(false);
});

test("a journal that knows a later namespace with its inode says that it is gone, whatever runs in that one", () => {
  const inside = { "/proc/12/ns/net": file(7) };
  const red = { path: "/run/netns/red", device: 4, inode: 7, changedMs: 2 };
  const isThereBeside = (changes: Partial<Entry>, own: Partial<Entry> = {}, ...more: Entry[]) => {
    const later = entryOf({ containerId: "red", namespace: red, uptime: 6, ...changes });
    const texts = journalFiles(entryOf({ namespace, uptime: 5, ...own }), ...more, later);
    const directories = ["blue", "red"].map((name) => [`/var/lib/cni/wrappers/${name}`, ["zone:eth0"]] as const);
    const names = { "/proc": ["12"], "/var/lib/cni/wrappers": ["blue", "red"], ...Object.fromEntries(directories) };
    return isThere(inside, { "/proc/sys/kernel/random/boot_id": bootId, "/proc/uptime": "9 9", ...texts }, names);
  };
  expect(isThereBeside({})).toBe(false);
  // Somebody has set the clock back.
  expect(isThereBeside({ namespace: { ...red, changedMs: 0 } })).toBe(false);
  const others = [{ changedMs: 1 }, { inode: 8 }, { device: 5 }].map((one) => ({ namespace: { ...red, ...one } }));
  const ofProcess = { namespace: { path: "/proc/12/ns/net", device: 4, inode: 7 } };
  for (const changes of [{ uptime: 4 }, { uptime: 5 }, { bootId: "earlier" }, ofProcess, ...others])
    expect(isThereBeside(changes), JSON.stringify(changes)).toBe(true);
  expect(isThereBeside({}, {}, chainedOf("firewall", { namespace, uptime: 7 }))).toBe(true);
  // Nothing says which one is later.
  expect(isThereBeside({}, { bootId: "earlier" })).toBe(true);
});
