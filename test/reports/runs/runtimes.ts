import path from "node:path";
import process from "node:process";
import { execa } from "execa";
import { containerd2 } from "../../runtimes/containerd2.ts";
import { isNomadBuilt, nomad, versionOf } from "../../support/nomad.ts";
import type { Subject } from "./subject.ts";

/** The runtimes, and the servers that give addresses. */
export const runtimes: readonly Subject[] = [
  {
    name: "Nomad",
    folder: "nomad",
    version: async () => ((await isNomadBuilt()) ? versionOf(await nomad()) : undefined),
  },
  { name: "podman", folder: "runtimes", file: "podman.test.ts", version: () => said("podman", /version (\S+)/) },
  {
    name: "containerd 1 (`ctr`)",
    folder: "runtimes",
    file: "containerd.test.ts",
    version: () => said("containerd", /containerd\S* v?([\d.]+)/),
  },
  {
    name: "containerd 1 (CRI)",
    folder: "runtimes",
    file: "cri.test.ts",
    suite: "the CRI of containerd 1 ",
    version: () => said("containerd", /containerd\S* v?([\d.]+)/),
  },
  {
    name: "containerd 2 (CRI)",
    folder: "runtimes",
    file: "cri.test.ts",
    suite: "the CRI of containerd 2",
    version: async () => said(path.join(await containerd2(), "containerd"), /containerd\S* v?([\d.]+)/),
  },
  {
    name: "CRI-O",
    folder: "runtimes",
    file: "crio.test.ts",
    version: () => said(process.env.CRIO_BIN, /version (\S+)/),
  },
  {
    name: "kubelet",
    folder: "runtimes",
    file: "kubelet.test.ts",
    version: () => said(process.env.KUBELET_BIN, /v(\S+)/),
  },
  {
    name: "nerdctl",
    folder: "runtimes",
    file: "nerdctl.test.ts",
    version: () => said(process.env.NERDCTL_BIN, /version (\S+)/),
  },
  {
    name: "dnsmasq (DHCP)",
    folder: "runtimes",
    file: "dhcp.test.ts",
    version: () => said("dnsmasq", /version (\S+)/i),
  },
  {
    name: "radvd (SLAAC)",
    folder: "runtimes",
    file: "slaac.test.ts",
    version: () => said("radvd", /version: (\S+)/i),
  },
];

/** The version in what a program prints about itself; undefined if there is no such program. */
async function said(program: string | undefined, pattern: RegExp): Promise<string | undefined> {
  if (!program) return undefined;
  const { stdout = "", stderr = "", exitCode } = await execa(program, ["--version"], { reject: false });
  if (exitCode === undefined) return undefined;
  const [, version] = pattern.exec(stdout + stderr) ?? [];
  if (version === undefined) throw new Error(`${program} does not say its version: ${stdout}${stderr}`);
  return version;
}
