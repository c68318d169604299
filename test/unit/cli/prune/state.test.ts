import { readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Memory } from "../../../../cli/host/memory.ts";
import { homesAmong, isReplaced, pathStateOf, viewProblem } from "../../../../cli/prune/host-namespaces.ts";
import { type Known, knownsIn } from "../../../../cli/prune/known.ts";
import { type KernelState, statesOf } from "../../../../cli/prune/state.ts";
import { temporary } from "../../../support/scratch.ts";
import { intercept } from "../../support/file-functions.ts";
import { entryOf } from "../../support/journals.ts";
import { hostWith, knownOf, onlyKnown, rememberedOf, resultOf } from "./support.ts";

const link = (ifname: string, address: string, local?: string) => ({
  ifindex: 2,
  ifname,
  address,
  ...(local !== undefined && { addr_info: [{ family: "inet" as const, local, prefixlen: 24, scope: "global" }] }),
});

const namespaceAt = (path: string, ...links: ReturnType<typeof link>[]) => ({ inode: 0, paths: [path], links });

/** The links of a namespace that a process is in. */
const unnamed = (...links: ReturnType<typeof link>[]): Partial<KernelState> => ({
  namespaces: [namespaceAt("/proc/7/ns/net", ...links)],
});

/** What is known of attachments: their states, or why nobody can tell. */
function statesIn(knowns: readonly Known[], host: KernelState): string[] {
  const states = [...statesOf(knowns, host).values()];
  // What is said about it never makes it gone: that is what other code asks for.
  for (const { is, why } of states) expect(is === "unknown").toBe(why !== undefined);
  return states.map(({ is, why }) => why ?? is);
}

const lo = link("lo", "00:00:00:00:00:00");
const its = link("eth0", "0a:00:00:00:00:02");
const withEnd = (ifname: string, mac: string) => ({ hostEnds: [link(ifname, `02:00:00:00:00:${mac}`)] });
const unreadable = { inode: 0, paths: ["/proc/7/ns/net"], links: undefined };
const several = [
  namespaceAt("/proc/6/ns/net", lo),
  namespaceAt("/proc/7/ns/net", lo, its),
  namespaceAt("/proc/8/ns/net", its),
];
const files = ["/r/zone-c9-eth0", "/r/zone-c1-eth0", "/r/zone-c1-eth1"];

test.each<[string, Partial<KernelState>, string, string[]?]>([
  ["its path is a namespace", {}, "live", ["/run/netns/c1"]],
  ["its path is a namespace, and its traces are there", withEnd("vethc1", "0b"), "live", ["/run/netns/c1"]],
  ["its path is none", {}, "gone"],
  ["its path cannot be read", { pathState: () => "unreadable" }, "/run/netns/c1 cannot be read"],
  [
    "a process lives on with its interface beside others, in one of two namespaces",
    { namespaces: several },
    "its interface is in /proc/7/ns/net",
  ],
  [
    "its namespace is one that this process finds at no path",
    { namespaces: [namespaceAt("/run/netns/c1", its)] },
    "its interface is in /run/netns/c1",
  ],
  ["a process has its MAC under another name", unnamed({ ...its, ifname: "eth1" }), "gone"],
  ["a process has its name with another MAC", unnamed(link("eth0", "0a:00:00:00:00:03")), "gone"],
  ["a namespace has an interface like the host's end", unnamed(link("vethc1", "02:00:00:00:00:0b")), "gone"],
  ["a process has only lo", unnamed({ ...its, ifname: "lo" }), "gone"],
  ["a namespace cannot be read", { namespaces: [unreadable] }, "a network namespace of this host cannot be read"],
  ["a veth of the same name has another MAC", withEnd("vethc1", "03"), "gone"],
  ["a veth of another name has its MAC", withEnd("veth9", "0b"), "gone"],
  ["two of its files cannot be read", { unreadable: files }, "/r/zone-c1-eth0 cannot be read"],
])("%s", (_, host, expected, paths = []) => {
  expect(statesIn([knownOf("c1", "10.1.0.2")], hostWith(paths, host))).toEqual([expected]);
});

test("the namespace of a live attachment is no trace of another one with the same address", () => {
  const knowns = [knownOf("c2", "10.1.0.2"), knownOf("c1", "10.1.0.2")];
  const links = [link("eth0", "0a:00:00:00:00:02", "10.1.0.2")];
  const namespaces = [{ inode: 0, paths: ["/proc/7/ns/net", "/var/run/netns/c2"], links }];
  expect(statesIn(knowns, hostWith(["/run/netns/c2"], { namespaces }))).toEqual(["live", "gone"]);
});

test("an attachment that names no namespace is not gone", () => {
  const known = knownOf("c1", "10.1.0.2", [], { netns: "", result: { cniVersion: "1.0.0" } });
  expect(statesIn([known], hostWith([]))).toEqual(["nothing names its namespace"]);
});

test("of two paths that cannot be read, and of two ends on the host, the first is named", () => {
  const entry = entryOf({ containerId: "c1", namespace: { path: "/run/netns/other", device: 4, inode: 5 } });
  const known = knownOf("c1", "10.1.0.2", [rememberedOf(entry)]);
  const why = (more: Partial<KernelState>) => statesIn([known], hostWith([], more));
  expect(why({ pathState: () => "unreadable" })).toEqual(["/run/netns/c1 cannot be read"]);
  const hostEnds = [link("vethc1", "02:00:00:00:00:0b"), link("disc0", "02:00:00:00:00:01")];
  expect(why({ hostEnds })).toEqual(["the host's end of its interface is still there: disc0"]);
});

test.each([
  ["is live", "live", "live"],
  ["may be live", "unreadable", "/run/netns/other cannot be read"],
] as const)("no attachment of a container is gone while another one %s", (_, pathState, expected) => {
  const other = resultOf("c1", "10.2.0.2", { networkName: "other", netns: "/run/netns/other" });
  const knowns = knownsIn([resultOf("c1", "10.1.0.2"), other], []);
  const host = hostWith([], { pathState: (path) => (path === "/run/netns/other" ? pathState : "gone") });
  expect(statesIn(knowns, host)).toEqual(["another attachment of its container is not gone", expected]);
});

test("a journal without a result tells the namespace", () => {
  const namespace = { path: "/run/netns/c1", device: 4, inode: 5 };
  const knowns = knownsIn([], [rememberedOf(entryOf({ containerId: "c1", ifName: "eth1", namespace }))]);
  expect(knowns).toMatchObject([{ network: "zone", containerId: "c1", runtimeIfName: "eth0", result: undefined }]);
  const beside = hostWith([], unnamed(link("eth5", "0a:00:00:00:00:05")));
  const hosts = [hostWith([]), hostWith(["/run/netns/c1"]), beside];
  expect(hosts.map((host) => statesIn(knowns, host))).toEqual([["gone"], ["live"], ["gone"]]);
});

test.each([{ cniVersion: "1.0.0" }, undefined])(
  "a result without interfaces is of none that is there: %j",
  (result) => {
    const known = knownOf("c1", "10.1.0.2", [], { result });
    expect(statesIn([known], hostWith([], unnamed(link("eth5", "0a:00:00:00:00:05"))))).toEqual(["gone"]);
  },
);

test.each([
  ["lives on", {}, "its namespace lives on: /proc/7/ns/net"],
  ["had this inode before the reboot", { bootId: "old" }, "gone"],
])("a namespace without the container's addresses %s", (_, changes, expected) => {
  const namespace = { path: "/run/netns/c1", device: 4, inode: 5 };
  const known = knownOf("c1", "10.1.0.2", [rememberedOf(entryOf({ containerId: "c1", namespace, ...changes }))]);
  const links = [link("renamed", "0a:00:00:00:00:99")];
  const host = hostWith([], { namespaces: [{ inode: 5, paths: ["/proc/7/ns/net"], links }] });
  expect(statesIn([known], host)).toEqual([expected]);
});

test("the inode of a gone namespace may be that of a live attachment by now", () => {
  const namespace = { path: "/run/netns/c1", device: 4, inode: 5 };
  const gone = knownOf("c1", "10.1.0.2", [rememberedOf(entryOf({ containerId: "c1", namespace }))]);
  const links = [link("renamed", "0a:00:00:00:00:99")];
  const host = hostWith(["/run/netns/c2"], { namespaces: [{ inode: 5, paths: ["/run/netns/c2"], links }] });
  expect(statesIn([gone, knownOf("c2", "10.1.0.3")], host)).toEqual(["gone", "live"]);
});

const [first, other] = ["pid:[4026531836]", "pid:[4026532299]"];
const seen = ["/proc/self/ns/net", "/proc/0/ns/net", "/tmp/c1"];
const unseen = [...seen, "/no/such/directory/c2", "/nor/this/one/c3"];

test.each([
  ["the host", unseen, first, true, undefined],
  ["a container with the host's network", [], other, true, /^the command runs in the host's network.*itself$/],
  [
    "a container with its own network, and without the namespaces",
    unseen,
    other,
    false,
    /^the command does not see \/no\/such\/directory,.*itself$/,
  ],
  ["a container that is a host of containers", seen, other, false, undefined],
  ["a host without /proc", [], "", true, /^there is no \/proc, .*: mount -t proc proc \/proc$/],
])("who must not judge which containers live: %s", (_, paths, pidNamespace, isHostNetwork, problem) => {
  const found = viewProblem(paths, pidNamespace, isHostNetwork);
  expect(found).toEqual(problem && expect.stringMatching(problem));
});

/** A link to a namespace, as people make for docker. */
function linkTo(target: string): string {
  const path = join(temporary(), "link");
  symlinkSync(target, path);
  return path;
}

/** The boot of this machine, and the namespace of this process. */
function here() {
  const memory = new Memory();
  const namespace = memory.namespace("/proc/self/ns/net");
  if (!namespace) throw new Error("there is no namespace");
  return { bootId: memory.moment()?.bootId ?? "", namespace };
}

test.each([
  ["one that is as old as its namespace", 0, [{ inode: 1 }], false],
  ["an older one, whose journals have other namespaces", -1000, [{ inode: 1 }], true],
  ["an older one with one journal of this namespace", -1000, [{ inode: 1 }, {}], false],
  ["an older one without a journal", -1000, [], false],
  ["an older one whose journal has no entry", -1000, [undefined], false],
])(
  "the time of a result tells whether the namespace at its path is newer: %s",
  (_, milliseconds, journals, expected) => {
    const { bootId, namespace } = here();
    const file = join(temporary(), "result");
    const result = { ...resultOf("c1", "10.1.0.2"), file, text: `${expected} ${journals.length}` };
    writeFileSync(file, result.text);
    const changedMs = Date.now();
    const time = (changedMs + 1 + milliseconds) / 1000;
    utimesSync(file, time, time);
    const remembered = journals.map((more) => {
      const file = rememberedOf(entryOf({ containerId: "c1", bootId, namespace: { ...namespace, ...more } }));
      return more === undefined && file.journal ? { ...file, journal: { ...file.journal, entries: [] } } : file;
    });
    expect(isReplaced(onlyKnown([result], remembered), changedMs)).toBe(expected);
    // DEL has removed the journals meanwhile.
    expect(isReplaced(onlyKnown([result]), changedMs)).toBe(expected);
  },
);

test.each([
  ["newer than the result, and the journal is of another namespace", 1000, { inode: 1 }, "gone"],
  ["newer than the result, and the journal is of this namespace", 1000, {}, "live"],
  ["older than the result: a plain ADD was of this namespace", -1000, { inode: 1 }, "live"],
])("the link to a process's namespace is %s", (_, milliseconds, more, expected) => {
  const { bootId, namespace } = here();
  const path = linkTo("/proc/self/ns/net");
  const result = {
    ...resultOf("c1", "10.1.0.2"),
    file: join(temporary(), "result"),
    text: `${milliseconds} ${expected}`,
  };
  writeFileSync(result.file, "");
  const time = (Date.now() - milliseconds) / 1000;
  utimesSync(result.file, time, time);
  const memory = rememberedOf(entryOf({ containerId: "c1", bootId, namespace: { ...namespace, path, ...more } }));
  expect(pathStateOf(path, onlyKnown([result], [memory]))).toBe(expected);
});

test("the time of a path in /proc means nothing: an old result is of the namespace there, whatever the journal tells", () => {
  const { bootId, namespace } = here();
  const result = { ...resultOf("c1", "10.1.0.2"), file: join(temporary(), "result") };
  writeFileSync(result.file, "");
  utimesSync(result.file, 1000, 1000);
  const memory = rememberedOf(entryOf({ containerId: "c1", bootId, namespace: { ...namespace, inode: 1 } }));
  expect(pathStateOf("/proc/self/ns/net", onlyKnown([result], [memory]))).toBe("live");
});

test("a path that nobody can follow is not gone, whatever the journal tells", () => {
  const loop = join(temporary(), "loop");
  symlinkSync("loop", loop);
  expect(pathStateOf(loop, onlyKnown([], [rememberedOf(entryOf({ containerId: "c1" }))]))).toBe("unreadable");
});

test("a path of a process that is now one of the host is no container's namespace", () => {
  expect(pathStateOf(`/proc/${process.pid}/ns/net`)).toBe("gone");
  expect(pathStateOf(linkTo(`/proc/${process.pid}/ns/net`))).toBe("gone");
  expect(pathStateOf("/proc/self/ns/net")).toBe("live");
  expect(pathStateOf(linkTo("/proc/self/ns/net"))).toBe("live");
});

test("a path of a process that is in another namespace than this one is a container's", () => {
  const others = ["/proc/1/ns/net", "/proc/self/ns/net"];
  intercept("readlinkSync", (actual) => (path: string) => (others.includes(path) ? "net:[1]" : actual(path)));
  // The test's process may be the first one. Its threads have numbers of their own.
  const own = `/proc/${readdirSync("/proc/self/task").at(-1)}/ns/net`;
  expect(pathStateOf(own)).toBe("live");
  expect(pathStateOf(linkTo(own))).toBe("live");
});

test("the loopback interface of another namespace says nothing about the attachment of loopback", () => {
  const [mac, sandbox] = ["00:00:00:00:00:00", "/run/netns/c1"];
  const interfaces = [{ name: "lo", mac, sandbox }];
  const result = { cniVersion: "1.0.0", interfaces, ips: [{ address: "127.0.0.1/8", interface: 0 }] };
  const known = knownOf("c1", "127.0.0.1", [], { ifName: "lo", result });
  const links = [
    { ...link("lo", mac), addr_info: [{ family: "inet" as const, local: "127.0.0.1", prefixlen: 8, scope: "host" }] },
  ];
  const namespaces = [{ inode: 9, paths: ["/proc/7/ns/net"], links }];
  expect(statesIn([known], hostWith([], { namespaces }))).toEqual(["gone"]);
});

const one = resultOf("c1", "10.1.0.2");
const eth0 = {
  ...{ ifindex: 2, ifname: "eth0", address: "02:00:00:00:00:09" },
  addr_info: [{ family: "inet" as const, local: "10.1.0.2", prefixlen: 24, scope: "global" }],
};

const withProcess = (links: (typeof eth0)[] | undefined) =>
  hostWith([], { namespaces: [{ inode: 0, paths: ["/proc/7/ns/net"], links }] });
const elsewhere = "it is there for another process; run the command on the host itself";

test.each([
  ["nothing has its interface or path", hostWith([]), undefined],
  ["a process has its interface", withProcess([eth0]), "its interface is in /proc/7/ns/net"],
  ["a namespace cannot be read", withProcess(undefined), undefined],
  ["another process sees its path", hostWith(["/run/netns/c1"]), elsewhere],
])("a namespace whose path leads nowhere: %s", async (_, host, why) => {
  const homeOf = homesAmong({ all: [one], memories: [] }, async () => host);
  // `adopt` asks about a result that it has read again, or completed.
  expect([await homeOf(one), await homeOf({ ...one })]).toEqual([why, why]);
});

test("an attachment without a namespace has no home", async () => {
  const nowhere = resultOf("c1", "10.1.0.2", { netns: "", result: {} });
  expect(await homesAmong({ all: [nowhere], memories: [] }, async () => hostWith([]))(nowhere)).toBeUndefined();
});
