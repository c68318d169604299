import { execFileSync } from "node:child_process";
import { statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isNamespace, namespacePath, pathStateAt, withNamespace } from "../../../../cli/live/namespaces.ts";
import { temporary } from "../../../support/scratch.ts";

const own = "/proc/self/ns/net";
const { ino } = statSync(own);

test.each([
  ["the namespace itself", own, ino, ino],
  ["a namespace, whatever its inode", own, undefined, ino],
  ["another namespace", own, ino + 1, undefined],
  ["a namespace of another kind", "/proc/self/ns/mnt", ino, undefined],
  ["a pipe, which would wait for a writer", "pipe", undefined, undefined],
  ["a link to a pipe", "link", undefined, undefined],
  ["a file", "file", undefined, undefined],
  ["nothing", "missing", undefined, undefined],
])("a path leads to a namespace, or is not used: %s", async (_, path, inode, expected) => {
  const directory = temporary();
  execFileSync("mkfifo", [join(directory, "pipe")]);
  symlinkSync("pipe", join(directory, "link"));
  writeFileSync(join(directory, "file"), "");
  const full = path.startsWith("/") ? path : join(directory, path);
  expect(await withNamespace(full, inode, async (safePath) => statSync(safePath).ino)).toBe(expected);
});

test.each([
  [own, "live"],
  [`/proc/${process.pid}/ns/net`, "gone"],
  ["/proc/self/ns", "gone"],
  ["/nowhere", "gone"],
  ["/proc/version/below", "gone"],
  ["", "gone"],
  [`/${"x".repeat(300)}`, "unreadable"],
])("%s is %s", (path, state) => {
  expect(pathStateAt(path)).toBe(state);
  expect(isNamespace(path)).toBe(/\/ns\/net$/.test(path));
});

test("/var/run is a link to /run", () => {
  expect(["/var/run/netns/c1", "/run/netns/c1", "/srv/var/run/c1"].map(namespacePath)).toEqual([
    "/run/netns/c1",
    "/run/netns/c1",
    "/srv/var/run/c1",
  ]);
});
