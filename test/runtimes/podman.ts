import { execa } from "execa";
import type { Container, Lab, Outcome } from "../support/lab.ts";
import type { NetworkList } from "../support/runtime.ts";
import { addressesIn, makeRootfs, rootfs } from "./support.ts";

/** Whether this podman has the CNI backend. Version 4 is the last one with it. */
export const podmanHasCni = await hasCniBackend();

/** An operator's settings for CNI. vfs and no cgroups, because a lab has no overlays and no controllers. */
const configuration = {
  "containers.conf": `
[containers]
cgroups = "disabled"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "crun"
[network]
network_backend = "cni"
cni_plugin_dirs = ["/opt/cni/bin"]
network_config_dir = "/etc/cni/net.d"
`,
  "storage.conf": `
[storage]
driver = "vfs"
graphroot = "/var/lib/containers/storage"
runroot = "/run/containers/storage"
`,
};

/** One network of a container in the output of `podman inspect`. */
export interface InspectedNetwork {
  readonly IPAddress: string;
  readonly IPPrefixLen: number;
  readonly MacAddress: string;
  readonly SecondaryIPAddresses?: readonly { readonly Addr: string; readonly PrefixLength: number }[];
  readonly AdditionalMACAddresses?: readonly string[];
}

/** podman in a lab, with networks and an image of one busybox. */
export class Podman {
  readonly #lab: Lab;

  private constructor(lab: Lab) {
    this.#lab = lab;
  }

  static async prepare(lab: Lab, ...lists: readonly NetworkList[]): Promise<Podman> {
    await makeRootfs(lab);
    for (const [name, text] of Object.entries(configuration)) await lab.writeFile(`/etc/containers/${name}`, text);
    for (const list of lists) await lab.writeFile(`/etc/cni/net.d/${list.name}.conflist`, JSON.stringify(list));
    const podman = new Podman(lab);
    await lab.run("tar", ["-C", rootfs, "-cf", "/run/lab/image.tar", "."]);
    await podman.run("import", "/run/lab/image.tar", "busybox");
    return podman;
  }

  /** A command that must succeed. */
  run(...args: string[]): Promise<string> {
    return this.#lab.run("podman", args);
  }

  call(...args: string[]): Promise<Outcome> {
    return this.#lab.call("podman", args);
  }

  /** Starts a container that serves its page on port 8080. */
  start(name: string, ...options: string[]): Promise<Outcome> {
    return this.call(
      "run",
      "-d",
      "--name",
      name,
      ...options,
      "busybox",
      "/bin/httpd",
      "-f",
      "-p",
      "8080",
      "-h",
      "/www",
    );
  }

  /** The addresses that a process in the container sees. */
  async addressesInside(name: string): Promise<Record<string, string[]>> {
    return addressesIn(await this.run("exec", name, "/bin/ip", "-4", "-o", "address"));
  }

  async inspect(name: string): Promise<Record<string, InspectedNetwork>> {
    return JSON.parse(await this.run("inspect", "--format", "{{json .NetworkSettings.Networks}}", name));
  }

  /** The container's network namespace. Tests look into it with ip(8). */
  async container(name: string): Promise<Container> {
    const netns = (await this.run("inspect", "--format", "{{.NetworkSettings.SandboxKey}}", name)).trim();
    return { name: netns.slice(netns.lastIndexOf("/") + 1), netns };
  }

  async networkNames(): Promise<string[]> {
    return (await this.run("network", "ls", "--format", "{{.Name}}")).split("\n").sort();
  }
}

// Without an answer, the cases run and fail.
async function hasCniBackend(): Promise<boolean> {
  const { stdout } = await execa("podman", ["--version"], { reject: false });
  const isWithout = Number(/version (\d+)/.exec(stdout ?? "")?.[1]) >= 5;
  if (isWithout) console.warn(`podman: every case is skipped, because ${stdout} has no CNI backend`);
  return !isWithout;
}
