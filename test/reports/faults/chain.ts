import { bridge, macvlan, portmap, published, wrapped, zone } from "../../e2e/support.ts";
import { type Container, Lab, type Outcome } from "../../support/lab.ts";
import { must } from "../../support/must.ts";

/** The verbs whose calls get faults. */
export const verbs = ["ADD", "CHECK", "DEL", "GC", "STATUS", "VERSION"] as const;
export type Verb = (typeof verbs)[number];

/** The wrappers of the chain. Each of them gets the faults in turn. */
export const targets = ["macvlan-wrapper", "bridge-wrapper", "portmap-wrapper"] as const;
export type Target = (typeof targets)[number];

/** A log behind a link: the wrapper looks at the owner of the link's directory. */
const logs = "/run/lab/logs";

const list = zone(
  "1.1.0",
  { ...wrapped(macvlan), wrapper: { log: { file: `${logs}/link/log` } } },
  wrapped(bridge, "eth1"),
  wrapped(portmap, "eth1"),
);

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
    must(await lab.goCni.add(list, chain.neighbour, published(8080)), "ADD of the neighbour");
    return chain;
  }

  get victim(): Container {
    return this.#victim;
  }

  /** Makes a call for the container. For GC only the neighbour is valid, and VERSION asks one wrapper. */
  call(verb: Verb, target: Target = "bridge-wrapper"): Promise<Outcome> {
    const { goCni } = this.lab;
    const calls: Record<Verb, () => Promise<Outcome>> = {
      ADD: () => goCni.add(list, this.victim, published(8081)),
      CHECK: () => goCni.check(list, this.victim, published(8081)),
      DEL: () => goCni.del(list, this.victim, published(8081)),
      GC: () => goCni.gc(list, [{ containerID: this.neighbour.name, ifname: "eth0" }]),
      STATUS: () => goCni.status(list),
      VERSION: () => goCni.version(target),
    };
    return calls[verb]();
  }

  checkNeighbour(): Promise<Outcome> {
    return this.lab.goCni.check(list, this.neighbour, published(8080));
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
