import path from "node:path";
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
  inFile("podman", "podman.test.ts", "podman", /version (\S+)/),
  inFile("containerd 1 (`ctr`)", "containerd.test.ts", "containerd", /containerd\S* v?([\d.]+)/),
  {
    ...inFile("containerd 1 (CRI)", "cri.test.ts", "containerd", /containerd\S* v?([\d.]+)/),
    suite: "the CRI of containerd 1 ",
  },
  {
    name: "containerd 2 (CRI)",
    folder: "runtimes",
    file: "cri.test.ts",
    suite: "the CRI of containerd 2",
    version: async () => said(path.join(await containerd2(), "containerd"), /containerd\S* v?([\d.]+)/),
  },
  inFile("CRI-O", "crio.test.ts", process.env.CRIO_BIN, /version (\S+)/),
  inFile("kubelet", "kubelet.test.ts", process.env.KUBELET_BIN, /v(\S+)/),
  inFile("nerdctl", "nerdctl.test.ts", process.env.NERDCTL_BIN, /version (\S+)/),
  inFile("dnsmasq (DHCP)", "dhcp.test.ts", "dnsmasq", /version (\S+)/i),
  inFile("radvd (SLAAC)", "slaac.test.ts", "radvd", /version: (\S+)/i),
];

/** A runtime with its cases in one file, and a program that says its version. */
function inFile(name: string, file: string, program: string | undefined, pattern: RegExp): Subject {
  return { name, folder: "runtimes", file, version: () => said(program, pattern) };
}

/** The version in what a program prints about itself; undefined if there is no such program. */
async function said(program: string | undefined, pattern: RegExp): Promise<string | undefined> {
  if (!program) return undefined;
  const { stdout = "", stderr = "", exitCode } = await execa(program, ["--version"], { reject: false });
  if (exitCode === undefined) return undefined;
  const [, version] = pattern.exec(stdout + stderr) ?? [];
  if (version === undefined) throw new Error(`${program} does not say its version: ${stdout}${stderr}`);
  return version;
}
