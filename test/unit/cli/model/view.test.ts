import { expect, test } from "vitest";
import { Machine } from "../../../../cli/model/machine.ts";
import { viewOf } from "../../../../cli/model/view.ts";

function host() {
  const machine = new Machine();
  machine.addLink(machine.addNamespace("/run/netns/blue"), "eth0", "veth");
  machine.addBridge("br0");
  machine.addBridge("br1").fixedMac = "02:00:00:00:00:07";
  machine.writeFile("/var/lib/one", "first");
  return { machine, view: viewOf(machine) };
}

test.each([
  ["/proc/sys/kernel/random/boot_id", "boot-1\n"],
  ["/proc/uptime", "60 0.00\n"],
  ["/sys/class/net/br0/addr_assign_type", "1\n"],
  ["/sys/class/net/br1/addr_assign_type", "3\n"],
  ["/sys/class/net/br7/addr_assign_type", "1\n"],
  ["/sys/class/net/br1/addr_assign_type/x", undefined],
  ["/proc/self/mountinfo", "1 1 0:4 net:[4026531840] /run/netns/blue rw - nsfs nsfs rw\n"],
  ["/var/lib/one", "first"],
  ["/var/lib/two", undefined],
])("%s reads as %j", (path, text) => {
  expect(host().view.readFile(path)).toBe(text);
});

test("a namespace and a file have their own device, inode, size and times", () => {
  const { machine, view } = host();
  const times = { modifiedMs: machine.now, changedMs: machine.now };
  const [inode, namespace] = [machine.files.get("/var/lib/one")?.inode, machine.namespaces.get("/run/netns/blue")];
  expect(view.stat("/var/lib/one")).toEqual({ device: 1, inode, size: 5, ...times });
  expect(view.stat("/run/netns/blue")).toEqual({ device: 4, inode: namespace?.inode, size: 0, ...times });
  expect(view.stat("/var/lib/two")).toBeUndefined();
});

test("a link has its index, a missing one 0, and a missing namespace none", () => {
  const { linkIndex } = host().view;
  expect([linkIndex("/run/netns/blue", "eth0"), linkIndex("/run/netns/blue", "eth1")]).toEqual([2, 0]);
  expect(linkIndex("/run/netns/red", "eth0")).toBeUndefined();
});

test("a journal grows if it is there or may be made, a log always, and only the journal is its maker's", () => {
  const { machine, view } = host();
  machine.maker = "c1";
  expect(view.appendJournal("/var/lib/two", "a", { makesFile: false, isFlushed: true })).toBe("ENOENT");
  expect(view.appendJournal("/var/lib/two", "a", { makesFile: true, isFlushed: true })).toBeUndefined();
  expect(view.appendJournal("/var/lib/two", "b", { makesFile: false, isFlushed: true })).toBeUndefined();
  view.appendLine("/var/log/x", "1");
  view.appendLine("/var/log/x", "2");
  const files = [...machine.files].slice(1).map(([path, { text, by }]) => [path, text, [...by.keys()]]);
  expect(files).toEqual([
    ["/var/lib/two", "ab", ["c1"]],
    ["/var/log/x", "1\n2\n", []],
  ]);
  expect(view.listDirectory("/var")).toEqual(["lib", "log"]);
  view.removeFile("/var/lib/two");
  expect(view.readFile("/var/lib/two")).toBeUndefined();
});

test("ip runs its commands in the namespace", () => {
  const { machine, view } = host();
  expect(view.ip(["-force", "-batch", "-"], "address add 10.1.0.2/24 dev eth0\n", "/run/netns/blue")).toBe("");
  expect(machine.namespaces.get("/run/netns/blue")?.links.get("eth0")?.addresses).toEqual(["10.1.0.2/24"]);
});
