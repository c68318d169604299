import { existsSync } from "node:fs";
import path from "node:path";
import { vi } from "vitest";
import { type Container, Lab, type LabOptions, type Outcome } from "../support/lab.ts";
import type { NetworkList } from "../support/runtime.ts";
import { criClient } from "./containerd2.ts";
import { Cri, image, makeImage, writeUnlimitedRunc } from "./cri.ts";
import { makeRootfs } from "./support.ts";

// No package registry has CRI-O. CRIO_BIN names the executable. In its directory are pinns and copyimg of the same sources,
// and also conmon and runc if the host has none.

const given = process.env.CRIO_BIN ?? "";

/** Says whether there is a CRI-O to test. */
export const hasCrio = given !== "";

const env = { PATH: "/run/lab/programs:/usr/sbin:/usr/bin:/sbin:/bin" };
const storage = "--root /var/lib/containers/storage --runroot /run/containers/storage --storage-driver vfs";
const log = "/run/lab/crio.log";

// The socket is where the client looks for containerd's.
const configuration = `
[crio]
root = "/var/lib/containers/storage"
runroot = "/run/containers/storage"
storage_driver = "vfs"
log_dir = "/run/lab/pods"
version_file = "/run/crio/version"
version_file_persist = "/var/lib/crio/version"
clean_shutdown_file = "/var/lib/crio/clean.shutdown"
[crio.api]
listen = "/run/containerd/containerd.sock"
[crio.runtime]
default_runtime = "runc"
cgroup_manager = "cgroupfs"
seccomp_profile = ""
apparmor_profile = "unconfined"
hooks_dir = []
[crio.runtime.runtimes.runc]
runtime_path = "/run/lab/runc"
runtime_root = "/run/runc"
monitor_cgroup = "pod"
[crio.image]
pause_image = "${image}"
signature_policy = "/run/lab/policy.json"
[crio.network]
network_dir = "/etc/cni/net.d"
plugin_dirs = ["/opt/cni/bin"]
[crio.nri]
enable_nri = false
`;

/** A request as a kubelet sends it: the pod's containers have PID namespaces of their own, so CRI-O starts no pause container. */
function podOf(name: string, hostPort?: number): string {
  const linux = { security_context: { namespace_options: { pid: 1 } } };
  return JSON.stringify({ ...JSON.parse(Cri.pod(name, hostPort)), log_directory: "/run/lab/pods", linux });
}

/** Makes a lab with the given CRI-O. */
export async function startCrioLab(more: Pick<LabOptions, "programs" | "recorded" | "disk"> = {}): Promise<Lab> {
  const programs: Record<string, string> = { ...more.programs, cri: path.join(await criClient(), "cri") };
  for (const name of ["crio", "pinns", "copyimg", "conmon", "runc"]) {
    const file = path.join(path.dirname(given), name);
    if (existsSync(file)) programs[name] = file;
  }
  return Lab.start({ forRuntimes: true, ...more, programs: { ...programs, crio: given } });
}

/** CRI-O in a lab, called over its socket as a kubelet calls it, with one network. */
export class Crio implements AsyncDisposable {
  readonly #lab: Lab;

  private constructor(lab: Lab) {
    this.#lab = lab;
  }

  static async start(lab: Lab, list: NetworkList, pluginDirectory?: string): Promise<Crio> {
    const crio = new Crio(lab);
    await makeRootfs(lab);
    await makeImage(lab);
    await writeUnlimitedRunc(lab);
    await lab.writeFile("/run/lab/policy.json", '{"default":[{"type":"insecureAcceptAnything"}]}');
    const text = pluginDirectory ? configuration.replace('["/opt', `["${pluginDirectory}", "/opt`) : configuration;
    await lab.writeFile("/run/lab/crio.conf", text);
    await lab.writeFile(`/etc/cni/net.d/${list.name}.conflist`, JSON.stringify(list));
    const source = "--signature-policy /run/lab/policy.json --import-from docker-archive:/run/lab/image.tar";
    await lab.run("sh", ["-c", `copyimg ${storage} --image-name ${image} ${source}`], { env });
    await crio.#startDaemon();
    return crio;
  }

  async #startDaemon(): Promise<void> {
    const command = `echo $$ >/run/lab/crio.pid; exec crio --config /run/lab/crio.conf --config-dir /none >>${log} 2>&1`;
    // It ends with the lab.
    void this.#lab.call("sh", ["-c", command], { env });
    await vi.waitFor(() => this.#ask("status"), { timeout: 60_000, interval: 200 });
  }

  /** Ends the daemon, in good order or killed. Pods keep their namespaces. */
  async stop(signal: "TERM" | "KILL" = "TERM"): Promise<void> {
    const script = 'kill -s "$2" "$1"; while kill -0 "$1" 2>/dev/null; do sleep 0.1; done';
    const pid = (await this.#lab.readFile("/run/lab/crio.pid")).trim();
    await this.#lab.run("sh", ["-c", script, "sh", pid, signal]);
  }

  /** Restarts the daemon. Returns its warnings about networks since then. */
  async restart(): Promise<string[]> {
    await this.stop();
    return this.startAgain();
  }

  /** Starts the daemon after `stop`. Returns its warnings about networks since then. */
  async startAgain(): Promise<string[]> {
    const before = (await this.#lab.readFile(log)).length;
    await this.#startDaemon();
    const lines = (await this.#lab.readFile(log)).slice(before).split("\n");
    return lines.filter((line) => /level=(warning|error)/.test(line) && /CNI|network|stale|plugin type/i.test(line));
  }

  tryToRun(name: string, hostPort?: number): Promise<Outcome> {
    return this.#lab.call("cri", ["run"], { env, input: podOf(name, hostPort) });
  }

  /** Runs a pod. Returns its id. */
  async run(name: string, hostPort?: number): Promise<string> {
    const { exitCode, stdout, stderr } = await this.tryToRun(name, hostPort);
    if (exitCode !== 0) throw new Error(stderr);
    return JSON.parse(stdout).pod_sandbox_id;
  }

  async end(id: string): Promise<void> {
    await this.#ask("stop", id);
    await this.#ask("remove", id);
  }

  /** The addresses that CRI-O tells a kubelet. The first one is the pod's. */
  async addresses(id: string): Promise<string[]> {
    const { ip, additional_ips: others = [] } = (await this.#ask("inspect", id)).status.network;
    return [ip, ...others.map((other: { ip: string }) => other.ip)];
  }

  async containerWith(address: string): Promise<Container> {
    for (const name of await this.#lab.readdir("/run/netns")) {
      const container = { name, netns: `/run/netns/${name}` };
      const addresses = Object.values(await this.#lab.kernel.allAddresses(container)).flat();
      if (addresses.some((each) => each.startsWith(`${address}/`))) return container;
    }
    throw new Error(`no namespace has ${address}`);
  }

  async pods(): Promise<string[]> {
    const items: readonly { id: string }[] = (await this.#ask("list")).items ?? [];
    return items.map(({ id }) => id);
  }

  /** Removes the leftovers of a failed case: a cgroup outlives the lab. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of await this.pods().catch(() => [])) await this.end(id).catch(() => {});
    await this.#lab.call("sh", ["-c", "rmdir /sys/fs/cgroup/crio-* /sys/fs/cgroup/crio"]);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the answers of the CRI; each case reads a few keys
  async #ask(verb: string, id = ""): Promise<any> {
    return JSON.parse(await this.#lab.run("cri", [verb, id], { env }));
  }
}
