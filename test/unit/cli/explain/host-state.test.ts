import { expect, test } from "vitest";
import { stateOver } from "../../../../cli/explain/host-state.ts";

const folder = "/var/lib/cni/wrappers";
const old = { device: 8, inode: 42, size: 3, modifiedMs: 5, changedMs: 6 };

const first = { makesFile: true, isFlushed: false };
const next = { makesFile: false, isFlushed: false };

/** A rehearsal on a host with one journal. `calls` are those of ip(8). */
function rehearsal() {
  const calls: unknown[] = [];
  const state = stateOver({
    readFile: (path) => (path === `${folder}/c1/zone:eth0` ? "old" : undefined),
    listDirectory: (path) => (path === folder ? ["c1"] : []),
    stat: (path) => (path === `${folder}/c1/zone:eth0` ? old : undefined),
    linkIndex: () => undefined,
    ip: (...call) => {
      calls.push(call);
      return "[]";
    },
  });
  return { state, calls };
}

test("a journal grows in memory, on what the host has, and can be removed", () => {
  const { state } = rehearsal();
  const path = `${folder}/c1/zone:eth0`;
  expect([state.readFile(path), state.stat(path)]).toEqual(["old", old]);
  expect(state.appendJournal(path, "+1", next)).toBeUndefined();
  expect(state.appendJournal(path, "+2", first)).toBeUndefined();
  expect(state.readFile(path)).toBe("old+1+2");
  state.removeFile(path);
  expect(state.readFile(path)).toBeUndefined();
});

test("only the first line makes a journal, which is then in its directory, once", () => {
  const { state } = rehearsal();
  const path = `${folder}/c2/zone:eth0`;
  expect(state.appendJournal(path, "1", next)).toBe("ENOENT");
  expect([state.readFile(path), state.stat(path), state.listDirectory(folder)]).toEqual([undefined, undefined, ["c1"]]);
  const before = Date.now();
  state.appendJournal(path, "one", first);
  state.appendJournal(`${folder}/c1/other:eth0`, "1", first);
  expect(state.readFile(path)).toBe("one");
  const { modifiedMs, ...rest } = state.stat(path) ?? {};
  expect(rest).toEqual({ device: 1, inode: 1, size: 3, changedMs: 0 });
  expect(modifiedMs).toBeGreaterThanOrEqual(before);
  expect([state.listDirectory(folder), state.listDirectory(`${folder}/c2`)]).toEqual([["c1", "c2"], ["zone:eth0"]]);
  expect(state.listDirectory("/var/lib/cni/wrap")).toEqual([]);
});

// A rehearsal changes nothing on the host.
test("ip runs in a namespace only", () => {
  const { state, calls } = rehearsal();
  const args = ["-json", "address", "show"];
  expect(state.ip(args, "", undefined)).toBeUndefined();
  expect(calls).toEqual([]);
  expect(state.ip(args, "", "/netns/c1")).toBe("[]");
  expect(calls).toEqual([[args, "", "/netns/c1"]]);
});
