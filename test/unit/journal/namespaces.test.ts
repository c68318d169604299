import { expect, test } from "vitest";
import { Facts } from "../../../shared/journal/facts.ts";
import type { Entry } from "../../../shared/journal/journal.ts";
import { bootId } from "../support/fake-host.ts";
import { chainedOf, entryOf, journalFiles } from "../support/journals.ts";

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
    listDirectory: (path: string) => names[path] ?? [],
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
  expect(isThere({ "/proc/12/ns/net": file(8) }, {}, { "/proc": ["12"] })).toBe(false);
  for (const name of ["12a", "a12"])
    expect(isThere({ [`/proc/${name}/ns/net`]: file(7) }, {}, { "/proc": [name] })).toBe(false);
  const threads = { "/proc": ["12"], "/proc/12/task": ["12", "13"] };
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
  // With hidepid, the first process is not listed, or its files are missing.
  const hidden = { "/proc/1/stat": undefined, "/proc/12/ns/net": file(8) };
  expect([isThere(hidden, {}, { "/proc": ["12"] }), isThere(hidden)]).toEqual([true, false]);
});

test("a journal that knows a later namespace with its inode says that it is gone, whatever runs in that one", () => {
  const inside = { "/proc/12/ns/net": file(7) };
  const isThereBeside = (changes: Partial<Entry>, own: Partial<Entry> = {}, ...more: Entry[]) => {
    const texts = journalFiles(
      entryOf({ namespace, uptime: 5, ...own }),
      ...more,
      entryOf({
        containerId: "red",
        namespace: { path: "/run/netns/red", device: 4, inode: 7, changedMs: 2 },
        uptime: 6,
        ...changes,
      }),
    );
    const directories = ["blue", "red"].map((name) => [`/var/lib/cni/wrappers/${name}`, ["zone:eth0"]] as const);
    const names = { "/proc": ["12"], "/var/lib/cni/wrappers": ["blue", "red"], ...Object.fromEntries(directories) };
    return isThere(inside, { "/proc/sys/kernel/random/boot_id": bootId, "/proc/uptime": "9 9", ...texts }, names);
  };
  const red = { path: "/run/netns/red", device: 4, inode: 7, changedMs: 2 };
  expect(isThereBeside({})).toBe(false);
  // Somebody has set the clock back.
  expect(isThereBeside({ namespace: { ...red, changedMs: 0 } })).toBe(false);
  expect(isThereBeside({ uptime: 4 })).toBe(true);
  expect(isThereBeside({ uptime: 5 })).toBe(true);
  expect(isThereBeside({ namespace: { ...red, changedMs: 1 } })).toBe(true);
  expect(isThereBeside({ namespace: { ...red, inode: 8 } })).toBe(true);
  expect(isThereBeside({ namespace: { ...red, device: 5 } })).toBe(true);
  expect(isThereBeside({ namespace: { path: "/proc/12/ns/net", device: 4, inode: 7 } })).toBe(true);
  expect(isThereBeside({ bootId: "earlier" })).toBe(true);
  expect(isThereBeside({}, {}, chainedOf("firewall", { namespace, uptime: 7 }))).toBe(true);
  // Nothing says which one is later.
  expect(isThereBeside({}, { bootId: "earlier" })).toBe(true);
});
