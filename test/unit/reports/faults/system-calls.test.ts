import { expect, test } from "vitest";
import { casesOf } from "../../../reports/faults/cases.ts";
import { fewer } from "../../../reports/faults/counts.ts";
import { difference, isUnbegunJournal } from "../../../reports/faults/state.ts";
import {
  callsOf,
  deathIn,
  errorsOf,
  flagsFor,
  isHung,
  isInjected,
  isNodesOwn,
  ownersIn,
} from "../../../reports/faults/system-calls.ts";

const trace = `execve("/opt/cni/bin/bridge-wrapper", ["bridge-wrapper"], 0x7ff /* 8 vars */) = 0
openat(AT_FDCWD, "/a", O_RDONLY)        = 3
--- SIGCHLD {si_signo=SIGCHLD} ---
openat(AT_FDCWD, "/b", O_RDONLY)        = -1 ENOENT (No such file or directory)
execve("/missing/bridge", ["bridge"], 0x7ff /* 8 vars */) = -1 ENOENT (No such file or directory)
execve("/opt/cni/bin/bridge", ["bridge"], 0x7ff /* 8 vars */) = 0
openat(AT_FDCWD, "/c", O_RDONLY)        = 3
+++ exited with 0 +++
`;

test("the wrapper's calls end where the plugin replaces it, and its own start does not count", () => {
  expect(callsOf(trace)).toEqual([
    { name: "openat", nth: 1, changes: false },
    { name: "openat", nth: 2, changes: false },
    { name: "execve", nth: 1, changes: true },
    { name: "execve", nth: 2, changes: true },
  ]);
});

test("each fault has strace's flags and its mark in the trace", () => {
  const call = { name: "openat", nth: 2, changes: false };
  expect(flagsFor(call, "KILL")).toBe("-e trace=openat -e inject=openat:signal=KILL:when=2");
  expect(flagsFor(call, "EIO")).toBe("-e trace=openat -e inject=openat:error=EIO:when=2");
  expect(isInjected("openat() = ?\n+++ killed by SIGKILL +++", "KILL", call)).toBe(true);
  expect(isInjected("openat() = -1 EIO (Input/output error) (INJECTED)", "EIO", call)).toBe(true);
  expect(isInjected(trace, "KILL", call)).toBe(false);
  expect(isInjected(trace, "EIO", call)).toBe(false);
});

test("netlink's answers, the lines of mountinfo and the owners of directories get other bytes", () => {
  const lines = [
    'execve("/opt/cni/bin/bridge-wrapper", ["bridge-wrapper"], 0x7ff /* 8 vars */) = 0',
    'read(3, "{}", 100)                      = 2',
    'openat(AT_FDCWD, "/proc/self/mountinfo", O_RDONLY|O_CLOEXEC) = 3',
    'read(3, "22 29 0:20 / /sys rw"..., 4096) = 100',
    "close(3)                                = 0",
    'openat(AT_FDCWD, "/b", O_RDONLY)        = 3',
    'read(3, "b", 100)                       = 1',
    "fstat(1, {st_mode=S_IFIFO|0600, st_size=0, ...}) = 0",
    "fstat(4, {st_mode=S_IFDIR|0755, st_size=80, ...}) = 0",
    "recvfrom(4, [{nlmsg_len=64}], 4096, 0, NULL, NULL) = 64",
    "+++ killed by SIGABRT +++",
  ];
  const own = lines.join("\n");
  const damaged = callsOf(own).flatMap((call) =>
    errorsOf(call)
      .filter((fault) => !/^(KILL|E[A-Z]+)$/.test(fault) || fault === "ERRNO")
      .map((fault) => `${call.name} ${call.nth} ${fault}`),
  );
  const ofAnswer = ["ERRNO", "TYPE", "LONG", "SHORT"].map((one) => `recvfrom 1 ${one}`);
  expect(damaged).toEqual(["read 2 MOUNTS", "fstat 2 OWNER", ...ofAnswer]);
  expect(ownersIn(own)).toBe(1);
  const answer = { name: "recvfrom", nth: 1, changes: false };
  expect(flagsFor(answer, "LONG")).toBe("-e trace=recvfrom -e inject=recvfrom:poke_exit=@arg2=ffffffff:when=1");
  expect(isInjected(own, "LONG", answer)).toBe(true);
  expect(isInjected(own, "LONG", { ...answer, nth: 2 })).toBe(false);
  expect(deathIn(own)).toBe("SIGABRT");
  expect(deathIn("+++ killed by SIGKILL +++")).toBeUndefined();
});

test("a wrapper without an end hung, and only what starts or wakes a thread of Node's excuses it", () => {
  expect(isHung(trace)).toBe(false);
  expect(isHung("read(0, 0x7ffd0, 4096) = ?\n+++ killed by SIGKILL +++\n")).toBe(false);
  expect(isHung(trace.replace("+++ exited with 0 +++", ""))).toBe(true);
  const failed = (call: string) => `close(3)                = 0\n${call} = -1 EIO (Input/output error) (INJECTED)\n`;
  expect(isNodesOwn(failed("clone3({flags=CLONE_VM|CLONE_THREAD}, 88)"))).toBe(true);
  expect(isNodesOwn(failed("read(5, 0x7ffeeed25cff, 1)             "))).toBe(true);
  expect(isNodesOwn(failed('write(6, "*", 1)'))).toBe(true);
  expect(isNodesOwn(failed(String.raw`write(15, "\1\0\0\0\0\0\0\0", 8)`))).toBe(true);
  expect(isNodesOwn(failed("read(5, 0x7ffeeed25cff, 65536)"))).toBe(false);
  expect(isNodesOwn(failed(String.raw`write(1, "{\"cniVersion\":\"1.1.0\"}", 101)`))).toBe(false);
  expect(isNodesOwn(failed("clone(child_stack=NULL)"))).toBe(false);
});

test("an empty journal of an attachment was not begun; one with a line, or another empty file, is left", () => {
  const empty = "+/files/600 /var/lib/cni/wrappers/victim/zone:eth0 ";
  expect(isUnbegunJournal(empty)).toBe(true);
  expect(isUnbegunJournal(`${empty}{"line":"began"}`)).toBe(false);
  expect(isUnbegunJournal("+/files/600 /var/lib/cni/networks/zone/172.16.0.2 ")).toBe(false);
  expect(isUnbegunJournal(empty.replace("+", "-"))).toBe(false);
});

test("the difference of two states has what was added and what is missing, as often as it occurs", () => {
  expect(difference(["lease a", "link b"], ["lease a", "link b"])).toEqual([]);
  expect(difference(["lease a", "link b"], ["lease a", "lease a"])).toEqual(["+lease a", "-link b"]);
});

const write = { name: "write", nth: 1, changes: true };

test("a file that is made changes the host", () => {
  const made = 'execve("/a", ["a"], 0x7ff) = 0\nopenat(AT_FDCWD, "/b", O_WRONLY|O_CREAT|O_EXCL, 0600) = 3';
  expect(callsOf(made)).toEqual([{ name: "openat", nth: 1, changes: true }]);
});

test("a verb and fault with fewer cases than expected, or with cases whose call did not come, is named", () => {
  const [each] = casesOf("DEL", "bridge-wrapper", [write], { isWhole: false, faults: ["KILL"] });
  const result = (isReached: boolean) => ({
    each: each as NonNullable<typeof each>,
    verdict: { isReached, isHung: false, left: [] },
  });
  expect(fewer({ "DEL KILL": 1 }, [result(true)])).toEqual([]);
  expect(fewer({ "DEL KILL": 2, "ADD EIO": 1 }, [result(true), result(false)])).toEqual([
    "DEL KILL: 1 of 2",
    "ADD EIO: 0 of 1",
  ]);
});
