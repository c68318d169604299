import type { Host } from "../../shared/host/host.ts";
import { ip, mountsOf } from "./iproute.ts";
import type { Machine } from "./machine.ts";

/** What a program sees of a host, and writes there. */
export type ProgramView = Pick<
  Host,
  | "now"
  | "readFile"
  | "appendJournal"
  | "removeFile"
  | "removeDirectory"
  | "listDirectory"
  | "stat"
  | "linkIndex"
  | "ip"
  | "appendLine"
>;

/** Returns a host of the model as a program sees it. */
export function viewOf(machine: Machine): ProgramView {
  return {
    now: () => machine.now,
    readFile(path) {
      if (path === "/proc/sys/kernel/random/boot_id") return `boot-${machine.boot}\n`;
      if (path.endsWith("/mountinfo")) return mountsOf(machine);
      const [, bridge] = /^\/sys\/class\/net\/(.*)\/addr_assign_type$/.exec(path) ?? [];
      // It is 3 if somebody has set the MAC.
      if (bridge !== undefined) return machine.bridges.get(bridge)?.fixedMac === undefined ? "1\n" : "3\n";
      if (path === "/proc/uptime") return `${machine.uptime / 1000} 0.00\n`;
      return machine.files.get(path)?.text;
    },
    appendJournal: (file, text, { makesFile }) =>
      makesFile || machine.files.has(file) ? machine.appendFile(file, text) : "ENOENT",
    removeFile: (path) => void machine.files.delete(path),
    // The model's directories are there as long as a file is in them.
    removeDirectory() {},
    // The first process is always there.
    listDirectory: (path) => [...(path === "/proc" ? ["1"] : []), ...machine.list(path)],
    stat(path) {
      if (path === "/proc/1/stat") return { device: 1, inode: 1, size: 0, modifiedMs: 0, changedMs: 0 };
      const namespace = machine.namespaceAt(path);
      const { madeMs = 0 } = namespace ?? {};
      if (namespace) return { device: 4, inode: namespace.inode, size: 0, modifiedMs: madeMs, changedMs: madeMs };
      const file = machine.files.get(path);
      if (!file) return undefined;
      const { inode, text, modifiedMs } = file;
      return { device: 1, inode, size: text.length, modifiedMs, changedMs: modifiedMs };
    },
    linkIndex(netns, name) {
      const namespace = machine.namespaces.get(netns);
      return namespace && (namespace.links.get(name)?.index ?? 0);
    },
    ip: (args, commands, netns) => ip(machine, { args, commands, netns }),
    // A log is there to stay.
    appendLine: (file, line) => machine.appendFile(file, `${line}\n`, true),
  };
}
