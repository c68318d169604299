import { readFileSync, renameSync } from "node:fs";
import process from "node:process";
import { makeHostFolders, type TinyPlugin } from "../../support/fake-host-folders.ts";
import type { Mistake, MistakenHost } from "./mistake.ts";

const failing = { lint: 1, status: 1 };

/** Replaces plugins of the host, or adds some. */
function plugins(host: MistakenHost, own: Readonly<Record<string, TinyPlugin>>, folder = "bin"): void {
  makeHostFolders(host.directory, { cniPath: { [folder]: own } });
}

/** A program of the right format for another machine: e_machine of the ELF header is changed (elf.h). */
function foreignProgram(): Buffer {
  const bytes = readFileSync(process.execPath).subarray(0, 4096);
  const other = bytes.readUInt16LE(18) === 183 ? 62 : 183;
  bytes.writeUInt16LE(other, 18);
  return bytes;
}

/** Mistakes with the plugins of a host and with the installation. */
export const pluginMistakes: readonly Mistake[] = [
  {
    name: "a type is misspelled",
    make: (host) => host.line(11, '      "type": "brigde-wrapper",'),
    told: failing,
    says: ["config/zone.conflist:11:", "brigde-wrapper", 'Did you mean "bridge-wrapper"?'],
  },
  {
    name: "a wrapper is named that does not exist",
    make: (host) => host.line(18, '      "type": "cilium-cni-wrapper",'),
    told: failing,
    says: ["config/zone.conflist:18:", "cilium-cni-wrapper", "install --plugins cilium-cni"],
  },
  {
    name: "a wrapper's link is missing",
    make: (host) => host.remove("bin/portmap-wrapper"),
    told: { status: 1 },
    says: ["incomplete", "named in a list, and missing: portmap-wrapper", "install makes them"],
  },
  {
    name: "a plugin is for another machine",
    make: (host) => host.write("bin/macvlan", foreignProgram(), 0o755),
    told: failing,
    says: ["config/zone.conflist:6:", "bin/macvlan", "for another machine"],
  },
  {
    name: "cni_path has a typing error",
    right: "lint",
    told: { "lint --cni-path bni": 1 },
    says: ["bni", "does not exist", "config/zone.conflist:6:", "macvlan-wrapper"],
  },
  {
    name: "cni_path lacks the directory of the reference plugins",
    before: (host) =>
      plugins(host, { "cni-wrappers": { wrapper: "node" }, "bridge-wrapper": { link: "cni-wrappers" } }, "own"),
    right: "lint",
    told: { "lint --cni-path own": 1 },
    says: ["config/zone.conflist:11:", "bridge", "own"],
  },
  {
    name: "two directories of cni_path have wrappers, and the old ones come first",
    before: (host) =>
      plugins(
        host,
        { "cni-wrappers": { wrapper: "node", version: "v0.1.0" }, "bridge-wrapper": { link: "cni-wrappers" } },
        "old",
      ),
    right: "status",
    told: { "status --cni-path {host}/old:{host}/bin": 1 },
    says: ["installation in", "/old", "/bin", "shadowed: a directory before it has another version"],
  },
  {
    name: "the executable of the wrappers is damaged",
    make: (host) => host.write("bin/cni-wrappers", "half a download", 0o755),
    told: { status: 1 },
    says: ["installation in", "broken", "does not answer"],
  },
  {
    name: "the plugins were upgraded while the list stayed: a plugin is renamed away",
    before: (host) => host.attach("zone", { eth0: "172.16.5.11/24", eth1: "172.26.64.2/20" }),
    make: (host) => renameSync(host.path("bin/macvlan-wrapper"), host.path("bin/macvlan-wrapper.old")),
    told: { preflight: 1, adopt: 1 },
    says: ["zone c1", 'failed to find plugin "macvlan-wrapper" in path', "/bin", "with cni-wrappers install"],
  },
];
