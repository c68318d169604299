import { mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Memory } from "../../../../cli/host/memory.ts";
import { findNamespaces, readNamespaces } from "../../../../cli/prune/host-namespaces.ts";
import { temporary } from "../../../support/scratch.ts";
import { intercept } from "../../support/file-functions.ts";
import { entryOf } from "../../support/journals.ts";
import { setVariable, writeProgram } from "../../support/programs.ts";
import { onlyKnown, rememberedOf } from "./support.ts";

/** What /proc shows of a process. Links that lead nowhere have texts, too. */
interface Shown {
  readonly net?: string;
  readonly mnt?: string;
  readonly user?: string;
  readonly root?: string;
  /** Undefined for a process that has ended. */
  readonly mounts?: readonly string[] | undefined;
}

const none = ["1 0 0:1 / / rw - ext4 /dev/sda rw"];

function procWith(processes: Readonly<Record<string, Shown>>): string {
  const proc = temporary();
  for (const [pid, shown] of Object.entries<Shown>({ self: {}, ...processes })) {
    const { net = "net:[1]", mnt = "mnt:[2]", user = "user:[3]", root = "/", ...rest } = shown;
    mkdirSync(join(proc, pid, "ns"), { recursive: true });
    const links = { "ns/net": net, "ns/mnt": mnt, "ns/user": user, root };
    for (const [name, text] of Object.entries(links)) symlinkSync(text, join(proc, pid, name));
    const mounts = "mounts" in rest ? rest.mounts : none;
    if (mounts) writeFileSync(join(proc, pid, "mountinfo"), `${mounts.join("\n")}\n`);
  }
  return proc;
}

function mountOf(inode: number, path: string): string {
  return `${inode} 1 0:4 net:[${inode}] ${path} rw shared:5 - nsfs nsfs rw`;
}

function pathsIn(proc: string): Record<number, readonly string[]> {
  return Object.fromEntries([...findNamespaces(proc)].map(([inode, { paths }]) => [inode, [...paths]]));
}

test("what is no network namespace by its link is none", () => {
  const proc = procWith({ 1: { net: "xnet:[7]" }, 2: { net: "net:[7]x" }, 3: { net: "mnt:[7]" } });
  expect(pathsIn(proc)).toEqual({});
});

test("the mounts of another user namespace say nothing, however deep it is, and its processes do", () => {
  const proc = procWith({
    1: { mounts: [mountOf(7, "/run/netns/c1")] },
    8: { user: "user:[9]", mnt: "mnt:[9]", net: "net:[9]", mounts: [mountOf(9, "/run/netns/c1")] },
    // In the host's own mount namespace.
    9: { user: "user:[10]", mounts: [mountOf(9, "/run/netns/c1")] },
  });
  const read: string[] = [];
  intercept("readFileSync", (actual) => (file: string, encoding: "utf8") => {
    read.push(file);
    return actual(file, encoding);
  });
  expect(pathsIn(proc)).toEqual({
    1: ["/proc/1/ns/net", "/proc/9/ns/net"],
    7: ["/run/netns/c1"],
    9: ["/proc/8/ns/net"],
  });
  // What is not believed is not read.
  expect(read).toHaveLength(1);
});

test("the host's user namespace counts also if this process has another one", () => {
  const proc = procWith({ 1: { user: "user:[4026531837]", mounts: [mountOf(7, "/run/netns/c1")] } });
  expect(pathsIn(proc)).toMatchObject({ 7: ["/run/netns/c1"] });
});

test.each([
  ["ended before its mounts were read", { mounts: undefined }],
  ["sees only the mounts below its root", { root: "/var/empty" }],
])("another process of a mount namespace is asked if one %s", (_, first) => {
  const proc = procWith({ 1: first, 5: { mounts: [mountOf(7, "/run/netns/c1")] } });
  expect(pathsIn(proc)).toMatchObject({ 7: ["/run/netns/c1"] });
});

test("a process whose first thread has ended counts by its other threads", () => {
  const proc = procWith({
    1: {},
    8: {},
    "8/task/8": {},
    "8/task/9": { net: "net:[9]", mnt: "mnt:[9]", mounts: [mountOf(7, "/c1")] },
  });
  // Another one ends before anyone looks into its directory.
  symlinkSync("nowhere", join(proc, "77"));
  for (const ended of ["8", "8/task/8"]) rmSync(join(proc, ended, "ns"), { recursive: true });
  expect([...findNamespaces(proc)].map(([inode, { paths, doors }]) => [inode, [...paths], [...doors]])).toEqual([
    [1, ["/proc/1/ns/net"], ["/proc/1/ns/net"]],
    [9, ["/proc/8/task/9/ns/net"], ["/proc/8/task/9/ns/net"]],
    [7, ["/c1"], ["/proc/8/task/9/root/c1"]],
  ]);
});

test("a namespace that cannot be entered counts, unless it ended meanwhile", async () => {
  const proc = procWith({ 9999998: { net: "net:[8]" }, 9999999: { net: "net:[9]", mnt: "mnt:[9]" } });
  const reading = readNamespaces(proc);
  rmSync(join(proc, "9999999"), { recursive: true });
  const { namespaces } = await reading;
  expect(namespaces).toEqual([{ inode: 8, paths: ["/proc/9999998/ns/net"], links: undefined }]);
});

/** Every namespace that can be entered has one link. */
function enterAll(): void {
  const bin = temporary();
  setVariable("PATH", `${bin}:${process.env.PATH}`);
  writeProgram(join(bin, "nsenter"), `echo '[{"ifindex":2,"ifname":"eth0"}]'`);
}

test("a namespace is entered through another process if one has ended; one that cannot be entered counts beside it", async () => {
  enterAll();
  const net = readlinkSync("/proc/self/ns/net");
  // There is no process 0, and it comes first.
  const proc = procWith({ 0: { net }, [process.pid]: { net }, 9999998: { net: "net:[8]" } });
  const { namespaces } = await readNamespaces(proc);
  expect(namespaces.map(({ inode, links }) => [inode, links])).toEqual([
    [Number(/\d+/.exec(net)), [{ ifindex: 2, ifname: "eth0" }]],
    [8, undefined],
  ]);
});

test("the links of a namespace that can be entered are read, and this process's own is left out", async () => {
  enterAll();
  const net = readlinkSync("/proc/self/ns/net");
  const paths = [`/proc/${process.pid}/ns/net`];
  const proc = procWith({ [process.pid]: { net }, 9999998: { net: "net:[1]" } });
  let looks = 0;
  intercept("readdirSync", (actual) => (path: string) => {
    if (path === proc) looks++;
    return actual(path);
  });
  const { namespaces } = await readNamespaces(proc);
  expect(looks).toBe(1);
  expect(namespaces).toEqual([{ inode: Number(/\d+/.exec(net)), paths, links: [{ ifindex: 2, ifname: "eth0" }] }]);
});

test("a process that this one may not look at may be in any namespace", async () => {
  const proc = procWith({ 9999998: {}, x9: { net: "net:[9]" }, "9x": { net: "net:[9]" } });
  intercept("readlinkSync", (actual) => (path: string) => {
    if (/\/fd\/\d+\/ns\/net$/.test(path)) throw Object.assign(new Error("no"), { code: "EACCES" });
    return actual(path);
  });
  const opened = readdirSync("/proc/self/fd").length;
  expect((await readNamespaces(proc)).namespaces).toEqual([
    { inode: 0, paths: ["/proc/9999998/ns/net"], links: undefined },
  ]);
  expect(readdirSync("/proc/self/fd")).toHaveLength(opened);
});

test("what a killed DEL had lent to its plugin has a container's address, and does not count unless it has another path", async () => {
  const lent = "/run/netns/cni-wrappers-9999999-1";
  const mine = `/run/netns/cni-wrappers-${process.pid}-1`;
  const mounts = [mountOf(7, lent), mountOf(8, `/var${lent}`), mountOf(9, mine), mountOf(10, lent), mountOf(10, "/c1")];
  const proc = procWith({ 9999998: { net: "net:[6]", mounts: [...mounts, mountOf(11, `/srv${lent}`)] } });
  const { namespaces } = await readNamespaces(proc);
  expect(namespaces.map(({ paths }) => paths)).toEqual([
    ["/proc/9999998/ns/net"],
    [mine],
    [lent, "/c1"],
    [`/srv${lent}`],
  ]);
});

test("a path that is mounted elsewhere is alive, and one that is a namespace here tells itself", async () => {
  const proc = procWith({
    9999999: { mounts: [mountOf(7, "/run/netns/elsewhere"), mountOf(7, "/proc/self/ns/net")] },
  });
  const { pathState } = await readNamespaces(proc);
  expect(["/var/run/netns/elsewhere", "/run/netns/none"].map((path) => pathState(path))).toEqual(["live", "gone"]);
  const replaced = rememberedOf(entryOf({ bootId: new Memory().moment()?.bootId ?? "" }));
  expect(pathState("/proc/self/ns/net", onlyKnown([], [replaced]))).toBe("gone");
});

test("a mount namespace is read once, and not if its process left the user namespace meanwhile", () => {
  const proc = procWith({
    1: { mounts: [mountOf(7, "/run/netns/c1")] },
    5: { mounts: [mountOf(7, "/run/netns/c1")] },
    8: { mnt: "mnt:[9]", mounts: [mountOf(9, "/run/netns/c9")] },
  });
  intercept("readFileSync", (actual) => (file: string, encoding: "utf8") => {
    const text = actual(file, encoding);
    if (!/\/mountinfo$/.test(String(file)) || !text.includes("c9")) return text;
    rmSync(join(proc, "8/ns/user"));
    symlinkSync("user:[99]", join(proc, "8/ns/user"));
    return text;
  });
  const found = findNamespaces(proc);
  expect([...(found.get(7)?.doors ?? [])]).toEqual(["/proc/1/root/run/netns/c1"]);
  expect(found.get(9)).toBeUndefined();
});

test("30,000 mounts are read in less than two seconds of this process: the time grows with their number", () => {
  const mounts = Array.from({ length: 30_000 }, (_, index) => mountOf(7, `/run/netns/c${index}`));
  const proc = procWith({ 1: { mounts } });
  const start = process.cpuUsage();
  expect(findNamespaces(proc).get(7)?.doors.size).toBe(30_000);
  const { user, system } = process.cpuUsage(start);
  expect(user + system).toBeLessThan(2_000_000);
});
