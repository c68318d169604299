import { expect, test } from "vitest";
import { difference } from "../../../reports/faults/state.ts";
import { callsOf, flagsFor, isInjected } from "../../../reports/faults/system-calls.ts";

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
    { name: "openat", nth: 1 },
    { name: "openat", nth: 2 },
    { name: "execve", nth: 1 },
    { name: "execve", nth: 2 },
  ]);
});

test("each fault has strace's flags and its mark in the trace", () => {
  const call = { name: "openat", nth: 2 };
  expect(flagsFor(call, "KILL")).toBe("-e trace=openat -e inject=openat:signal=KILL:when=2");
  expect(flagsFor(call, "EIO")).toBe("-e trace=openat -e inject=openat:error=EIO:when=2");
  expect(isInjected("openat() = ?\n+++ killed by SIGKILL +++", "KILL")).toBe(true);
  expect(isInjected("openat() = -1 EIO (Input/output error) (INJECTED)", "EIO")).toBe(true);
  expect(isInjected(trace, "KILL")).toBe(false);
  expect(isInjected(trace, "EIO")).toBe(false);
});

test("the difference of two states has what was added and what is missing, as often as it occurs", () => {
  expect(difference(["lease a", "link b"], ["lease a", "link b"])).toEqual([]);
  expect(difference(["lease a", "link b"], ["lease a", "lease a"])).toEqual(["+lease a", "-link b"]);
});
