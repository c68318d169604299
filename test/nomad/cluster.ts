import { execa } from "execa";
import { Lab, type Outcome } from "../support/lab.ts";
import { newestNomad, nomad, oldestNomad, versionOf } from "../support/nomad.ts";
import { Agent } from "./agent.ts";
import { remoteClientConfig, serverConfig } from "./agent-config.ts";
import { type Allocation, Api, type Node } from "./api.ts";
import { imitateCgroups } from "./cgroup.ts";
import type { jobOf } from "./jobs.ts";
import { type AllocationState, surveyAllocations } from "./survey.ts";
import { until } from "./until.ts";

const socket = "/run/lab/nomad.sock";
const serverAddress = "10.77.0.1";

/** systemctl for a host without systemd: it knows one service, the Nomad client. */
const systemctl = `#!/bin/sh
set -eu
stop() {
  pid=$(cat /run/lab/client.pid)
  kill -TERM "$pid"
  while [ -e "/proc/$pid/exe" ]; do sleep 0.1; done
}
start() {
  command='echo $$ >/run/lab/client.pid; exec nomad agent -config /run/lab/client.hcl'
  setsid env -i PATH="$PATH" sh -c "$command" >>/run/lab/client.log 2>&1 </dev/null &
}
case "$1 $2" in
"start nomad") start ;;
"stop nomad") stop ;;
"restart nomad") stop; start ;;
"show --property") cat /run/lab/client.pid ;;
"reload nomad") kill -HUP "$(cat /run/lab/client.pid)" ;;
*) exit 1 ;;
esac
`;

/** A client of a cluster, with a host of its own. */
export interface ClusterClient {
  readonly name: string;
  readonly lab: Lab;
  readonly agent: Agent;
}

/** A Nomad cluster: a server and clients, each on a host of its own. Only these hosts reach each other. */
export class Cluster implements AsyncDisposable {
  readonly server: Lab;
  readonly clients: readonly ClusterClient[];
  readonly #api: Api;
  readonly #resources: AsyncDisposableStack;

  private constructor(server: Lab, clients: readonly ClusterClient[], resources: AsyncDisposableStack) {
    this.server = server;
    this.clients = clients;
    this.#api = new Api(server.path(socket));
    this.#resources = resources;
  }

  /** Starts the hosts. `prepare` changes the host of a client before the client starts. Without `cniPath`, it is Nomad's default. */
  static async start(count: number, prepare: (lab: Lab) => Promise<void>, cniPath?: string): Promise<Cluster> {
    await using stack = new AsyncDisposableStack();
    const own = await nomad();
    const newLab = async (binary: string) => {
      const lab = stack.use(await Lab.start({ programs: { nomad: binary } }));
      await imitateCgroups(lab, binary);
      return lab;
    };
    // Our build of 1.9.5 has the agent only. Servers are upgraded before their clients.
    const server = await newLab((await versionOf(own)) === oldestNomad ? await nomad(newestNomad) : own);
    const clients: ClusterClient[] = [];
    for (let number = 1; number <= count; number++) {
      const lab = await newLab(own);
      clients.push({ name: `client-${number}`, lab, agent: new Agent(lab, "client") });
    }
    const cluster = new Cluster(server, clients, stack.move());
    try {
      await cluster.#boot(prepare, cniPath);
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #boot(prepare: (lab: Lab) => Promise<void>, cniPath?: string): Promise<void> {
    const { server, clients } = this;
    await server.run("sh", [
      "-ec",
      `ip link add net0 type bridge; ip address add ${serverAddress}/24 dev net0; ip link set net0 up`,
    ]);
    const agent = new Agent(server, "server");
    await agent.configure(serverConfig(serverAddress));
    await agent.start();
    void server.start("/run/lab/drivers/forward", [socket, "127.0.0.1:4646"], "/run/lab/forward.log");
    await until("leader", () => this.#api.get<string>("/v1/status/leader").catch(() => undefined));
    for (const [index, { name, lab, agent }] of clients.entries()) {
      const address = `10.77.0.${index + 2}`;
      await connect(server, lab, `port${index}`, address);
      await prepare(lab);
      await agent.configure(remoteClientConfig({ name, address, server: serverAddress, cniPath }));
      await lab.writeScript("/run/lab/bin/systemctl", systemctl);
      await shell(lab, "systemctl start nomad");
    }
    await this.untilReady();
  }

  async untilReady(): Promise<void> {
    await until("ready clients", async () => {
      const nodes = await this.#api.get<Node[]>("/v1/nodes");
      return nodes.filter(({ Status }) => Status === "ready").length === this.clients.length;
    });
  }

  /** Registers a job and waits until this number of its allocations run. */
  async run(job: ReturnType<typeof jobOf>, wanted: number): Promise<void> {
    await this.#api.put("/v1/jobs", { Job: job });
    await until(`${wanted} running allocations`, async () => {
      const running = (await this.#allocations(job.ID)).filter(({ ClientStatus }) => ClientStatus === "running");
      return running.length === wanted;
    });
  }

  /** The state of each running allocation of a job on a client. */
  async survey(job: string, { name, lab }: ClusterClient): Promise<AllocationState[]> {
    const nodes = await this.#api.get<Node[]>("/v1/nodes");
    const id = nodes.find((node) => node.Name === name)?.ID;
    const running = (await this.#allocations(job)).filter(({ ClientStatus }) => ClientStatus === "running");
    return surveyAllocations(
      lab,
      running.filter(({ NodeID }) => NodeID === id),
    );
  }

  #allocations(job: string): Promise<Allocation[]> {
    return this.#api.get<Allocation[]>(`/v1/job/${job}/allocations`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }
}

/** Runs a shell script on a host of a cluster, as an operator does. It finds `nomad` and `systemctl`. */
export function shell(lab: Lab, script: string, directory = "/"): Promise<Outcome> {
  const env = { PATH: "/run/lab/bin:/run/lab/programs:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" };
  return lab.call("sh", ["-ec", `cd '${directory}'\n${script}`], { env });
}

async function connect(server: Lab, client: Lab, port: string, address: string): Promise<void> {
  await server.run("sh", [
    "-ec",
    `ip link add ${port} type veth peer name net0-far; ip link set ${port} master net0 up`,
  ]);
  const [from, to] = [server, client].map((lab) => lab.path("/proc/1/ns/net"));
  await execa("nsenter", [`--net=${from}`, "ip", "link", "set", "net0-far", "netns", `${to}`]);
  await client.run("sh", [
    "-ec",
    `ip link set net0-far name net0; ip address add ${address}/24 dev net0; ip link set net0 up`,
  ]);
}
