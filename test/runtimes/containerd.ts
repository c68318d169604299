import { vi } from "vitest";
import type { Lab, Outcome } from "../support/lab.ts";
import type { NetworkList } from "../support/runtime.ts";
import { addressesIn, makeRootfs, rootfs } from "./support.ts";

/** With these, containerd needs no file systems and devices that a lab lacks, and no sandboxes of Kubernetes. */
const configuration = `
version = 2
disabled_plugins = [
  "io.containerd.grpc.v1.cri",
  "io.containerd.internal.v1.opt",
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
]
`;

/** containerd's daemon in a lab, called by ctr, with one network. */
export class Containerd implements AsyncDisposable {
  readonly #lab: Lab;

  private constructor(lab: Lab) {
    this.#lab = lab;
  }

  static async start(lab: Lab, list: NetworkList): Promise<Containerd> {
    await makeRootfs(lab);
    await lab.writeFile("/run/lab/containerd.toml", configuration);
    await lab.writeFile(`/etc/cni/net.d/${list.name}.conflist`, JSON.stringify(list));
    // It ends with the lab.
    void lab.call("containerd", ["--config", "/run/lab/containerd.toml"]);
    await vi.waitFor(() => lab.run("ctr", ["version"]), { timeout: 20_000 });
    return new Containerd(lab);
  }

  /** Runs a command in a new container, until both are gone. */
  async runOnce(name: string, ...command: string[]): Promise<Outcome> {
    // No cgroup path and no shares: on hosts with cgroup v1, v2 has no controllers.
    const options = ["--rm", "--cni", "--cgroup", "", "--cpu-shares", "0", "--rootfs", rootfs];
    return await this.#lab.call("ctr", ["run", ...options, name, ...command]);
  }

  /** Starts a container that stays until it is stopped. `ended` is the outcome of `ctr run`, with DEL. */
  async run(name: string) {
    const ended = this.runOnce(name, "/bin/sleep", "1000");
    const running = new RegExp(`^${name}\\s+\\d+\\s+RUNNING$`, "m");
    const isRunning = async () => {
      if (!running.test(await this.#ctr("task", "ls"))) throw new Error(`${name} does not run`);
    };
    await Promise.race([vi.waitFor(isRunning, { timeout: 20_000 }), ended.then(({ stderr }) => failToRun(stderr))]);
    return { ended };
  }

  /** Stops a container as an operator does. Returns the outcome of its `ctr run`. */
  async stop(name: string, { ended }: { readonly ended: Promise<Outcome> }): Promise<Outcome> {
    await this.#ctr("task", "kill", "--signal", "SIGKILL", name);
    return await ended;
  }

  /** The addresses that a process in the container sees. */
  async addressesInside(name: string): Promise<Record<string, string[]>> {
    const command = ["--exec-id", "addresses", name, "/bin/ip", "-4", "-o", "address"];
    return addressesIn(await this.#ctr("task", "exec", ...command));
  }

  async containerNames(): Promise<string[]> {
    return (await this.#ctr("container", "ls", "--quiet")).split("\n").filter(Boolean);
  }

  /** Removes the leftovers of a failed start: a cgroup outlives the lab. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of await this.containerNames()) {
      await this.#lab.call("ctr", ["task", "rm", "--force", name]);
      await this.#ctr("container", "rm", name);
    }
  }

  #ctr(...args: string[]): Promise<string> {
    return this.#lab.run("ctr", args);
  }
}

function failToRun(reason: string): never {
  throw new Error(reason);
}
