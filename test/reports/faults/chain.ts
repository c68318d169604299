import { hostLocal } from "../../support/fixture-plugins.ts";
import { type Container, Lab, type Outcome } from "../../support/lab.ts";
import { must } from "../../support/must.ts";
import type { AttachOptions, NetworkList } from "../../support/runtime.ts";

/** The verbs whose calls get faults. */
export const verbs = ["ADD", "CHECK", "DEL", "GC", "STATUS", "VERSION"] as const;
export type Verb = (typeof verbs)[number];

/** The wrappers of the chain. Each of them gets the faults in turn. */
export const targets = ["macvlan-wrapper", "bridge-wrapper", "portmap-wrapper"] as const;
export type Target = (typeof targets)[number];

/** A log behind a link: the wrapper looks at the owner of the link's directory. */
const logs = "/run/lab/logs";

const list: NetworkList = {
  cniVersion: "1.1.0",
  name: "zone",
  plugins: [
    {
      type: "macvlan-wrapper",
      wrapper: { log: { file: `${logs}/link/log` } },
      master: "uplink0",
      ipam: hostLocal("172.16.5.0/24"),
    },
    {
      type: "bridge-wrapper",
      wrapper: { ifName: "eth1" },
      bridge: "disc0",
      isGateway: true,
      ipam: hostLocal("172.26.64.0/20"),
    },
    { type: "portmap-wrapper", wrapper: { ifName: "eth1" }, capabilities: { portMappings: true } },
  ],
};

const ports = (hostPort: number): AttachOptions => ({ ports: [{ hostPort, containerPort: 80, protocol: "tcp" }] });

/** A host with a live neighbour, and a container whose calls get the faults. */
export class Chain implements AsyncDisposable {
  readonly lab: Lab;
  readonly neighbour: Container;
  #victim: Container;

  private constructor(lab: Lab, neighbour: Container, victim: Container) {
    this.lab = lab;
    this.neighbour = neighbour;
    this.#victim = victim;
  }

  /** Makes the host, attaches the neighbour and replaces each wrapper by a script. */
  static async start(): Promise<Chain> {
    // Its own /tmp and /dev/shm show temporary files.
    const lab = await Lab.start({ forRuntimes: true });
    for (const target of targets) await installScript(lab, target);
    await lab.run("mkdir", ["-p", `${logs}/real`]);
    await lab.run("ln", ["-s", "real", `${logs}/link`]);
    const chain = new Chain(lab, await lab.addContainer("neighbour"), await lab.addContainer("victim"));
    must(await lab.goCni.add(list, chain.neighbour, ports(8080)), "ADD of the neighbour");
    return chain;
  }

  get victim(): Container {
    return this.#victim;
  }

  add(): Promise<Outcome> {
    return this.lab.goCni.add(list, this.victim, ports(8081));
  }

  check(): Promise<Outcome> {
    return this.lab.goCni.check(list, this.victim, ports(8081));
  }

  checkNeighbour(): Promise<Outcome> {
    return this.lab.goCni.check(list, this.neighbour, ports(8080));
  }

  del(): Promise<Outcome> {
    return this.lab.goCni.del(list, this.victim, ports(8081));
  }

  /** Only the neighbour is valid. */
  gc(): Promise<Outcome> {
    return this.lab.goCni.gc(list, [{ containerID: this.neighbour.name, ifname: "eth0" }]);
  }

  status(): Promise<Outcome> {
    return this.lab.goCni.status(list);
  }

  version(target: Target): Promise<Outcome> {
    return this.lab.goCni.version(target);
  }

  /** The number of a verb's lines in the first wrapper's log. */
  async logLines(verb: Verb): Promise<number> {
    return (await this.lab.readFile(`${logs}/real/log`)).split(`"command":"${verb}"`).length;
  }

  /** Leaves only what a wrapper's GC finds: the namespace and libcni's result are gone. */
  async loseVictim(): Promise<void> {
    await this.lab.run("rm", ["-f", `/var/lib/cni/results/zone-${this.victim.name}-eth0`]);
    await this.lab.deleteNamespace(this.victim);
  }

  async renewVictim(): Promise<void> {
    this.#victim = await this.lab.addContainer("victim");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.lab[Symbol.asyncDispose]();
  }
}

/** How long a wrapper may take after a fault, in seconds. Then it and strace are killed, as a runtime's deadline does. */
const patience = 60;

/** The script runs the next call of the verb in `/run/lab/fault-verb` under strace, with the flags in `/run/lab/fault`. */
async function installScript(lab: Lab, target: Target): Promise<void> {
  const file = `${Lab.pluginPath}/${target}`;
  const real = `/run/lab/wrappers/${target}`;
  const fault = `/run/lab/fault-${target}`;
  const script = [
    "#!/bin/sh",
    `if [ -e ${fault}-$CNI_COMMAND ]; then`,
    `  flags=$(cat ${fault}-$CNI_COMMAND)`,
    `  rm ${fault}-$CNI_COMMAND`,
    `  exec timeout -s KILL ${patience} strace -o /run/lab/trace $flags ${real}`,
    "fi",
    `exec ${real}`,
  ];
  await lab.writeScript(file, `${script.join("\n")}\n`);
}
