import { describe, expect, test } from "vitest";
import { Facts } from "../../../shared/journal/facts.ts";
import { type Entry, journalDirectory } from "../../../shared/journal/journal.ts";
import { type Call, callWrapper, exits, type Machine } from "../support/fake-host.ts";
import { cached, chainedOf, entryOf, journal, journalFiles, net1, tryOf, zoneOfBlue } from "../support/journals.ts";
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
  ["DEL", "unknown", { stdin: firewall }, hostOf()],
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

/** The facts of a host with these files, and what was read, listed and looked at. */
function factsOf(files: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const all = new Map(Object.entries(files));
  const host = {
    readFile(path: string) {
      asked.push(path);
      return all.get(path);
    },
    listDirectory(path: string) {
      const inside = [...all.keys()].filter((file) => file.startsWith(`${path}/`));
      return [...new Set(inside.map((file) => file.slice(path.length + 1).split("/", 1)[0] ?? ""))];
    },
    stat(path: string) {
      asked.push(`stat ${path}`);
      return path.startsWith("/run/netns/") ? { device: 4, inode: 1, size: 0, modifiedMs: 0, changedMs: 0 } : undefined;
    },
  };
  return { facts: new Facts(host), host, asked, all };
}

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
