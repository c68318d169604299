import path from "node:path";
import { vi } from "vitest";
import { Lab, type LabOptions, type Outcome } from "../support/lab.ts";
import type { NetworkList } from "../support/runtime.ts";
import { containerd2 } from "./containerd2.ts";
import { makeRootfs, rootfs } from "./support.ts";

/** The containerds of the tests: the host's (version 1), and the one that `containerd/go.mod` pins. */
export const containerds = ["containerd 1", "containerd 2.2.9"] as const;
type Version = (typeof containerds)[number];

/** The sandbox's image, which `makeImage` makes. */
export const image = "localhost/pause:1";
const programs = "/run/lab/programs";
const system = "/usr/sbin:/usr/bin:/sbin:/bin";
const paths: Readonly<Record<Version, string>> = {
  "containerd 1": `${system}:${programs}`,
  "containerd 2.2.9": `${programs}:${system}`,
};

const runtime = (plugin: string, more = "") => `
[plugins."${plugin}"]
  disable_apparmor = true
  restrict_oom_score_adj = true
${more}
[plugins."${plugin}".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[plugins."${plugin}".containerd.runtimes.runc.options]
  BinaryName = "/run/lab/runc"
`;

const configurations: Readonly<Record<Version, string>> = {
  "containerd 1": `version = 2
disabled_plugins = ["io.containerd.internal.v1.opt"]
${runtime("io.containerd.grpc.v1.cri", `  sandbox_image = "${image}"`)}`,
  "containerd 2.2.9": `version = 3
disabled_plugins = ["io.containerd.internal.v1.opt"]
${runtime("io.containerd.cri.v1.runtime")}
[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = "${image}"`,
};

// Sandboxes get CPU shares, and a kubelet's containers get more limits. They need controllers: on hosts with cgroup v1, v2 has none.
const runcScript = `#!/bin/sh
for word; do
  [ "\${last-}" = --bundle ] && file=$word/config.json && jq "del(.linux.resources)" "$file" >"$file.new" && mv "$file.new" "$file"
  last=$word
done
exec runc "$@"
`;

/** Writes a script for runc that leaves out all limits. Returns its place. */
export async function writeUnlimitedRunc(lab: Lab): Promise<string> {
  await lab.writeScript("/run/lab/runc", runcScript);
  return "/run/lab/runc";
}

// The sandbox's image, in the format of docker save.
const imageScript = `
  mkdir -p /run/lab/image
  cd /run/lab/image
  tar -C "$1" -cf layer.tar .
  sum=$(sha256sum layer.tar | cut -d' ' -f1)
  config='"os": "linux", "config": {"Entrypoint": ["/bin/sleep", "1000"], "StopSignal": "SIGKILL"}, "architecture": "'"$3"'"'
  echo "{$config, \\"rootfs\\": {\\"type\\": \\"layers\\", \\"diff_ids\\": [\\"sha256:$sum\\"]}}" >config.json
  echo "[{\\"Config\\": \\"config.json\\", \\"RepoTags\\": [\\"$2\\"], \\"Layers\\": [\\"layer.tar\\"]}]" >manifest.json
  tar -cf ../image.tar config.json manifest.json layer.tar
`;

/** Writes the sandbox's image to `/run/lab/image.tar`. */
export async function makeImage(lab: Lab): Promise<void> {
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  await lab.run("sh", ["-euc", imageScript, "sh", rootfs, image, architecture]);
}

/** Makes a lab for this containerd and the client of its CRI. It may have more programs, and a recorder. */
export async function startLab(version: Version, more: Pick<LabOptions, "programs" | "recorded"> = {}): Promise<Lab> {
  const directory = await containerd2();
  const names = version === "containerd 2.2.9" ? ["containerd", "containerd-shim-runc-v2", "ctr", "cri"] : ["cri"];
  const files = Object.fromEntries(names.map((name) => [name, path.join(directory, name)]));
  return Lab.start({ forRuntimes: true, ...more, programs: { ...files, ...more.programs } });
}

/** containerd in a lab, called over its socket as a kubelet calls it, with one network. */
export class Cri implements AsyncDisposable {
  readonly #lab: Lab;
  readonly #version: Version;

  private constructor(lab: Lab, version: Version) {
    this.#lab = lab;
    this.#version = version;
  }

  static async start(lab: Lab, version: Version, list: NetworkList): Promise<Cri> {
    const cri = new Cri(lab, version);
    await makeRootfs(lab);
    await lab.writeFile("/run/lab/containerd.toml", configurations[version]);
    await writeUnlimitedRunc(lab);
    await lab.writeFile(`/etc/cni/net.d/${list.name}.conflist`, JSON.stringify(list));
    await cri.#startDaemon();
    await makeImage(lab);
    await lab.run("ctr", ["--namespace", "k8s.io", "images", "import", "/run/lab/image.tar"], cri.#options());
    return cri;
  }

  async #startDaemon(): Promise<void> {
    const command = "echo $$ >/run/lab/containerd.pid; exec containerd --config /run/lab/containerd.toml";
    // It ends with the lab.
    void this.#lab.call("sh", ["-c", command], this.#options());
    await vi.waitFor(() => this.conditions(), { timeout: 30_000, interval: 200 });
  }

  /** Restarts the daemon. Sandboxes keep running. */
  async restart(): Promise<void> {
    const script = 'kill "$1"; while kill -0 "$1" 2>/dev/null; do sleep 0.1; done';
    const pid = (await this.#lab.readFile("/run/lab/containerd.pid")).trim();
    await this.#lab.run("sh", ["-c", script, "sh", pid]);
    await this.#startDaemon();
  }

  async daemon(): Promise<string> {
    const text = await this.#lab.run("ctr", ["version"], this.#options());
    return `containerd ${/Server:\s+Version:\s+([\d.]+)/.exec(text)?.[1] ?? text}`;
  }

  /** The conditions in the answer of the CRI's Status. */
  async conditions(): Promise<readonly { type: string; status?: boolean; message?: string }[]> {
    return (await this.#ask("status")).status.conditions;
  }

  call(verb: "run" | "stop" | "remove", id = "", input = ""): Promise<Outcome> {
    return this.#lab.call("cri", [verb, id], this.#options(input));
  }

  /** The request for a sandbox with this name, with a published port if one is given. */
  static pod(name: string, hostPort?: number): string {
    const ports = hostPort === undefined ? [] : [{ protocol: 0, container_port: 8080, host_port: hostPort }];
    const metadata = { name, uid: name, namespace: "default" };
    return JSON.stringify({ metadata, hostname: name, port_mappings: ports, linux: {} });
  }

  /** Runs a pod sandbox. Returns its id. */
  async run(name: string, hostPort?: number): Promise<string> {
    return (await this.#ask("run", "", Cri.pod(name, hostPort))).pod_sandbox_id;
  }

  async stopAndRemove(id: string): Promise<void> {
    await this.#ask("stop", id);
    await this.#ask("remove", id);
  }

  /** A pod sandbox: the address that Kubernetes knows, and those in containerd's own record of the result, without loopback. */
  async inspect(id: string) {
    const { status, info } = await this.#ask("inspect", id);
    const { runtimeSpec, cniResult } = JSON.parse(info.info);
    const { path: netns } = runtimeSpec.linux.namespaces.find(({ type }: { type: string }) => type === "network");
    const found = Object.entries<{ IPConfigs: readonly { IP: string }[] | null }>(cniResult.Interfaces)
      .filter(([name, { IPConfigs }]) => name !== "lo" && IPConfigs)
      .map(([name, { IPConfigs }]) => [name, (IPConfigs ?? []).map(({ IP }) => IP)] as const);
    return {
      container: { name: path.basename(netns), netns },
      ip: status.network.ip,
      result: Object.fromEntries(found),
    };
  }

  async pods(): Promise<readonly string[]> {
    const items: readonly { id: string }[] = (await this.#ask("list")).items ?? [];
    return items.map(({ id }) => id);
  }

  /** Removes the leftovers of a failed case: a cgroup outlives the lab. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of await this.pods()) await this.stopAndRemove(id);
    await this.#lab.call("rmdir", ["/sys/fs/cgroup/k8s.io"]);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the answers of containerd; each case reads a few keys
  async #ask(verb: string, id = "", input = ""): Promise<any> {
    return JSON.parse(await this.#lab.run("cri", [verb, id], this.#options(input)));
  }

  #options(input = "") {
    return { env: { PATH: paths[this.#version] }, input };
  }
}
