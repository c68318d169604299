import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { PluginVersion } from "../support/go.ts";
import { newestPlugins } from "../support/go.ts";
import { Lab } from "../support/lab.ts";
import { type NomadVersion, nomad } from "../support/nomad.ts";
import type { NetworkList } from "../support/runtime.ts";
import { Agent, type LogLine } from "./agent.ts";
import { clientConfig, serverConfig } from "./agent-config.ts";
import { type Allocation, Api, type Node } from "./api.ts";
import { imitateCgroups } from "./cgroup.ts";
import { isPassedCheck, isTornDown, wordsOf } from "./log.ts";
import { type AllocationState, isSound, surveyAllocations, taskProcesses } from "./survey.ts";
import { until } from "./until.ts";

const configDirectory = "/opt/cni/config";
const socket = "/run/lab/nomad.sock";

interface NomadLabOptions {
  readonly networks: readonly NetworkList[];
  readonly plugins?: PluginVersion;
  /** The directory with the wrappers, if they are not those of this build. */
  readonly wrappers?: string;
  /** The version of Nomad, if it is not the one that most tests use. */
  readonly version?: NomadVersion;
  /** Records the plugins' calls. `lab.records` returns them. */
  readonly recorded?: boolean;
  /** The client's `cni_path`, if it is not Nomad's default. */
  readonly cniPath?: string;
  /** More programs for `/run/lab/programs`, besides Nomad. */
  readonly programs?: Readonly<Record<string, string>>;
  /** The seconds until a wait fails, if many allocations need more than the usual ones. */
  readonly patience?: number;
  /** Changes the host before the client starts. */
  readonly prepare?: (lab: Lab) => Promise<void>;
}

/** The fields of a job that the tests read. */
interface Job {
  readonly ID: string;
  readonly TaskGroups: readonly { readonly Count: number }[];
}

/** A host with a Nomad server and a Nomad client. Both keep their files on a disk that survives a reboot. */
export class NomadLab implements AsyncDisposable {
  /** Receives the story of each lab that ends. */
  static onEnd: ((story: string) => void) | undefined;

  readonly client: Agent;
  readonly server: Agent;
  readonly api: Api;
  readonly lab: Lab;
  readonly #disk: string;
  readonly #options: NomadLabOptions;
  /** The time of the client's last start, in milliseconds of the host's clock. */
  #startedAt = 0;
  #ended = false;

  private constructor(lab: Lab, disk: string, options: NomadLabOptions) {
    this.lab = lab;
    this.#disk = disk;
    this.#options = options;
    this.server = new Agent(lab, "server");
    this.client = new Agent(lab, "client");
    this.api = new Api(lab.path(socket));
  }

  static async start(options: NomadLabOptions): Promise<NomadLab> {
    return NomadLab.#boot(await mkdtemp(path.join(tmpdir(), "cni-wrappers-nomad-")), options);
  }

  static async #boot(disk: string, options: NomadLabOptions): Promise<NomadLab> {
    const { plugins = newestPlugins, recorded = false, version, wrappers } = options;
    const programs = { nomad: await nomad(version), ...options.programs };
    const lab = await Lab.start({ plugins, recorded, programs, disk, ...(wrappers !== undefined && { wrappers }) });
    await imitateCgroups(lab, programs.nomad);
    const host = new NomadLab(lab, disk, options);
    await lab.run("mkdir", ["-p", configDirectory, "/var/lib/cni"]);
    // The host is on the other end of macvlan's parent, so it can talk to macvlan's interfaces.
    await lab.ip(undefined, "address", "add", "172.16.5.1/24", "dev", "uplink1");
    for (const list of options.networks) {
      await lab.writeFile(`${configDirectory}/${list.name}.conflist`, JSON.stringify(list));
    }
    await options.prepare?.(lab);
    await host.server.configure(serverConfig());
    await host.client.configure(clientConfig(options.cniPath));
    void lab.start("/run/lab/drivers/forward", [socket, "127.0.0.1:4646"], "/run/lab/forward.log");
    await host.startServer();
    await host.startClient();
    return host;
  }

  async startServer(): Promise<void> {
    await this.server.start();
    await this.server.until("leader", () => this.api.get<string>("/v1/status/leader").catch(() => undefined));
  }

  async startClient(): Promise<void> {
    this.#startedAt = Date.now();
    await this.client.start();
    await this.client.until("client ready", async () => (await this.node())?.Status === "ready");
  }

  /** Stops the client as a service manager does, changes the host, and starts the client again. */
  async restartClient(meanwhile?: () => Promise<void>): Promise<void> {
    await this.client.stop();
    await meanwhile?.();
    await this.startClient();
  }

  /**
   * Reboots the host: the files on its disk are there again. Processes, namespaces and links are gone, and the boot id
   * is another one. The agents are stopped before, as a service manager does on shutdown.
   */
  async reboot(): Promise<NomadLab> {
    await this.client.stop();
    await this.server.stop();
    await this.#end();
    return NomadLab.#boot(this.#disk, this.#options);
  }

  #until<T>(what: string, probe: () => Promise<T | undefined | false>): Promise<T> {
    return until(what, probe, this.#options.patience);
  }

  async node(): Promise<Node | undefined> {
    const [found] = await this.api.get<Node[]>("/v1/nodes");
    return found && (await this.api.get<Node>(`/v1/node/${found.ID}`));
  }

  /** Registers a job and does not wait. */
  async register(job: Job): Promise<void> {
    await this.api.put("/v1/jobs", { Job: job });
  }

  /** Registers a job and waits until all its allocations run. */
  async run(job: Job): Promise<void> {
    await this.register(job);
    const wanted = job.TaskGroups.reduce((sum, group) => sum + group.Count, 0);
    await this.#until(`${wanted} running allocations`, async () => {
      const states = (await this.allocations(job.ID)).map(({ ClientStatus }) => ClientStatus);
      if (states.includes("failed")) throw new Error("an allocation failed");
      return states.filter((state) => state === "running").length === wanted;
    });
  }

  /** Waits until this number of the job's allocations have this state, and returns them. */
  async untilStatus(status: Allocation["ClientStatus"], count: number): Promise<Allocation[]> {
    return this.#until(`${count} allocations ${status}`, async () => {
      const found = (await this.allocations("job")).filter(({ ClientStatus }) => ClientStatus === status);
      return found.length >= count && found;
    });
  }

  /** Waits until this number of the job's allocations are sound. */
  async untilSound(count: number): Promise<void> {
    await this.#until(
      `${count} sound allocations`,
      async () => (await this.survey("job")).filter(isSound).length === count,
    );
  }

  /** Restarts the task of an allocation, as an operator does, and waits until it answers. */
  async restartTask(allocation: string): Promise<void> {
    const [before] = await this.survey("job");
    await this.api.put(`/v1/client/allocation/${allocation}/restart`, {});
    await this.#until("another process", async () => {
      const [now] = await this.survey("job");
      return now !== undefined && now.pid !== before?.pid && isSound(now);
    });
  }

  /** Removes the allocations' namespaces while their tasks run. The last task's end destroys what is in them. */
  async loseNamespaces(job: string): Promise<void> {
    for (const { ID } of await this.allocations(job)) await this.lab.run("ip", ["netns", "delete", ID]);
  }

  /** Kills every task and its executor, as the kernel does when memory is short. */
  async killTasks(): Promise<void> {
    for (const { pid } of await taskProcesses(this.lab)) {
      await this.lab.run("sh", ["-c", `kill -KILL $(cut -d ' ' -f 4 /proc/${pid}/stat) ${pid}`]);
    }
    await this.#until("the end of the tasks", async () => (await this.taskCount()) === 0);
  }

  /** Makes the allocations' namespaces anew, under the same names and without a network, as a pause container's may be. */
  async makeNamespacesAnew(job: string): Promise<void> {
    await this.loseNamespaces(job);
    for (const { ID } of await this.allocations(job)) await this.lab.addContainer(ID);
  }

  /** Changes the first allocation's namespace with ip(8). */
  async breakFirst([first]: readonly AllocationState[], fault: readonly string[]): Promise<void> {
    await this.lab.run("ip", ["-n", first?.id ?? "", ...fault]);
  }

  /** Waits until the only earlier allocation has failed and its replacement runs. */
  async untilReplaced([before]: readonly AllocationState[]): Promise<void> {
    const id = before?.id ?? "";
    await this.#until("another allocation in its place", async () => {
      const { ClientStatus, NextAllocation } = await this.allocation(id);
      return ClientStatus === "failed" && NextAllocation && this.#isRunning(NextAllocation);
    });
  }

  async #isRunning(allocation: string): Promise<boolean> {
    return (await this.allocation(allocation)).ClientStatus === "running";
  }

  /** The number of running tasks, also those that Nomad has lost. */
  async taskCount(): Promise<number> {
    return (await taskProcesses(this.lab)).length;
  }

  /** Stops a job and waits until no allocation runs and the client has removed their networks. */
  async stop(job: string): Promise<void> {
    const running = (await this.allocations(job)).filter(({ ClientStatus }) => ClientStatus === "running");
    await this.api.delete(`/v1/job/${job}?purge=false`);
    await this.#until("allocations stopped", async () =>
      (await this.allocations(job)).every(
        ({ ClientStatus }) => ClientStatus === "complete" || ClientStatus === "failed",
      ),
    );
    const stopped = running.map(({ ID }) => ID);
    await this.#until("networks taken down", async () => {
      const done = (await this.logLines()).filter(isTornDown).map(({ alloc_id }) => alloc_id);
      return stopped.every((id) => done.includes(id));
    });
  }

  /** The allocations of a job, the oldest first. */
  async allocations(job: string): Promise<Allocation[]> {
    const found = await this.api.get<Allocation[]>(`/v1/job/${job}/allocations?all=true`);
    return found.sort((one, other) => one.CreateIndex - other.CreateIndex);
  }

  allocation(id: string): Promise<Allocation> {
    return this.api.get<Allocation>(`/v1/allocation/${id}`);
  }

  /** The state of each running allocation of a job, seen from outside Nomad. */
  async survey(job: string): Promise<AllocationState[]> {
    const running = (await this.allocations(job)).filter(({ ClientStatus }) => ClientStatus === "running");
    return surveyAllocations(this.lab, running);
  }

  /** The client's log lines since its last start. */
  async logLines(): Promise<LogLine[]> {
    return this.client.lines();
  }

  /**
   * Waits until the client has logged a line of this kind for this number of allocations. Returns the seconds since its
   * start.
   */
  async untilLogged(count: number, isWanted: (line: LogLine) => boolean): Promise<number> {
    const found = await this.#until(`lines in the client's log about ${count} allocations`, async () => {
      const lines = (await this.logLines()).filter(isWanted);
      return new Set(lines.map(({ alloc_id }) => alloc_id)).size >= count && lines;
    });
    return (Date.parse(found.at(-1)?.["@timestamp"] ?? "") - this.#startedAt) / 1000;
  }

  /** The client's lines about allocations. They help to find out why a case failed. */
  async story(): Promise<string> {
    const lines = (await this.client.allLines()).filter((line) => line.alloc_id ?? line.alloc);
    const telling = lines.filter((line) => isPassedCheck(line) || /^(warn|error|info)$/.test(line["@level"]));
    return telling.map(wordsOf).join("\n");
  }

  async #end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    if (NomadLab.onEnd) NomadLab.onEnd(await this.story());
    await this.lab[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
    await rm(this.#disk, { recursive: true, force: true });
  }
}
