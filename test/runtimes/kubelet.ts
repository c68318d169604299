import { vi } from "vitest";
import type { Lab } from "../support/lab.ts";
import { image } from "./cri.ts";

// No package registry has a kubelet. KUBELET_BIN names the executable.

/** The kubelet to test; empty if there is none. */
export const kubeletProgram = process.env.KUBELET_BIN ?? "";

const manifests = "/run/lab/manifests";
const pods = "http://127.0.0.1:10255/pods";
const log = "/run/lab/kubelet.log";

// A kubelet without an API server. A lab has no controllers in cgroup v2 and no /dev/kmsg, so it must not need them.
const configuration = {
  apiVersion: "kubelet.config.k8s.io/v1beta1",
  kind: "KubeletConfiguration",
  staticPodPath: manifests,
  containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock",
  ...{ address: "127.0.0.1", readOnlyPort: 10255, enableServer: true },
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: "AlwaysAllow" },
  ...{ cgroupDriver: "cgroupfs", cgroupsPerQOS: false, enforceNodeAllocatable: [], failSwapOn: false },
  ...{
    makeIPTablesUtilChains: false,
    localStorageCapacityIsolation: false,
    fileCheckFrequency: "1s",
    syncFrequency: "5s",
  },
  ...{ podLogsDir: "/run/lab/pod-logs", volumePluginDir: "/run/lab/volume-plugins" },
  featureGates: { KubeletInUserNamespace: true },
};

/** A kubelet in a lab whose runtime has the image. It runs static pods. */
export class Kubelet implements AsyncDisposable {
  readonly #lab: Lab;

  private constructor(lab: Lab) {
    this.#lab = lab;
  }

  static async start(lab: Lab): Promise<Kubelet> {
    const kubelet = new Kubelet(lab);
    await lab.run("sh", ["-ec", `mount -t tmpfs none /var/log; mkdir -p ${manifests}`]);
    await lab.writeFile("/run/lab/kubelet.json", JSON.stringify(configuration));
    await kubelet.#startDaemon();
    return kubelet;
  }

  async #startDaemon(): Promise<void> {
    const options = "--config /run/lab/kubelet.json --hostname-override node1 --v 2";
    const command = `echo $$ >/run/lab/kubelet.pid; exec /run/lab/programs/kubelet ${options} >>${log} 2>&1`;
    // It ends with the lab.
    void this.#lab.call("sh", ["-c", command]);
    try {
      await vi.waitFor(() => this.pods(), { timeout: 60_000, interval: 500 });
    } catch (error) {
      throw new Error(`${error}\n${await this.#lab.run("tail", ["-n", "40", log])}`);
    }
  }

  /** Restarts the kubelet. Pods keep running. */
  async restart(): Promise<void> {
    await this[Symbol.asyncDispose]();
    await this.#startDaemon();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const script = 'kill "$1"; while kill -0 "$1" 2>/dev/null; do sleep 0.1; done';
    await this.#lab.run("sh", ["-c", script, "sh", (await this.#lab.readFile("/run/lab/kubelet.pid")).trim()]);
  }

  async addPod(name: string): Promise<void> {
    const pod = {
      ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default" } },
      spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "main", image, imagePullPolicy: "Never" }] },
    };
    await this.#lab.writeFile(`${manifests}/${name}.json`, JSON.stringify(pod));
  }

  async removePods(): Promise<void> {
    await this.#lab.run("sh", ["-c", `rm ${manifests}/*`]);
  }

  /** The static pods as the kubelet's status shows them. */
  async pods() {
    const { items } = JSON.parse(await this.#lab.run("curl", ["-fsS", pods]));
    const all: readonly Item[] = items ?? [];
    return all.map(({ metadata, status }) => ({
      name: metadata.name.replace(/-node1$/, ""),
      phase: status.phase,
      addresses: (status.podIPs ?? []).map(({ ip }) => ip),
      restarts: (status.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0),
    }));
  }

  log(): Promise<string> {
    return this.#lab.run("tail", ["-n", "60", log]);
  }
}

interface Item {
  readonly metadata: { readonly name: string };
  readonly status: {
    readonly phase: string;
    readonly podIPs?: readonly { readonly ip: string }[];
    readonly containerStatuses?: readonly { readonly restartCount: number }[];
  };
}
