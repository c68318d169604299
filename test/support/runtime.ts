import { createHash } from "node:crypto";
import type { Container, Lab, Outcome } from "./lab.ts";

/** A network configuration list as an operator writes it. */
export interface NetworkList {
  readonly cniVersion: string;
  readonly name: string;
  readonly disableCheck?: boolean;
  readonly plugins: readonly Record<string, unknown>[];
}

/** A published port. */
export interface PortMapping {
  readonly hostPort: number;
  readonly containerPort: number;
  readonly protocol: "tcp" | "udp";
}

/** The parts of an attach call that most cases leave out. */
export interface AttachOptions {
  readonly ports?: readonly PortMapping[];
  /** The content of CNI_ARGS. */
  readonly labels?: Record<string, string>;
  /** CNI_PATH, if it is not the default. go-cni only. */
  readonly pluginPath?: string;
  /** A file of the lab. The runtime's deadline comes when it exists. go-cni only. */
  readonly deadline?: string;
}

/** An attachment in GC's list of valid ones. */
export interface Attachment {
  readonly containerID: string;
  readonly ifname: string;
}

/** A program that calls plugins as a container runtime does, for the interface eth0. */
export interface Runtime {
  /** Its id for a container. */
  id(container: Container): string;
  add(list: NetworkList, container: Container, options?: AttachOptions): Promise<Outcome>;
  check(list: NetworkList, container: Container, options?: AttachOptions): Promise<Outcome>;
  del(list: NetworkList, container: Container, options?: AttachOptions): Promise<Outcome>;
  status(list: NetworkList): Promise<Outcome>;
}

/** The runtimes of most cases. */
export const runtimes = ["goCni", "cnitool"] as const satisfies (keyof Lab)[];

/** The program of `GoCni` in a lab. */
export const gocni = "/run/lab/drivers/gocni";

/** go-cni, used as in Nomad. It also calls libcni directly for verbs that go-cni does not have. */
export class GoCni implements Runtime {
  readonly #lab: Lab;

  constructor(lab: Lab) {
    this.#lab = lab;
  }

  id(container: Container): string {
    return container.name;
  }

  add(list: NetworkList, container: Container, options?: AttachOptions): Promise<Outcome> {
    return this.#attachment("setup", list, container, options);
  }

  check(list: NetworkList, container: Container, options?: AttachOptions): Promise<Outcome> {
    return this.#attachment("check", list, container, options);
  }

  del(list: NetworkList, container: Container, options?: AttachOptions): Promise<Outcome> {
    return this.#attachment("remove", list, container, options);
  }

  status(list: NetworkList, options: Pick<AttachOptions, "pluginPath"> = {}): Promise<Outcome> {
    return this.#call("status", { ...options, conflist: list });
  }

  gc(list: NetworkList, validAttachments: readonly Attachment[]): Promise<Outcome> {
    return this.#call("gc", { conflist: list, validAttachments });
  }

  /** libcni's probe of one plugin. */
  version(plugin: string, pluginPath?: string): Promise<Outcome> {
    return this.#call("version", { plugin, ...(pluginPath && { pluginPath }) });
  }

  /** libcni's probe of every plugin of a list. */
  validate(list: NetworkList): Promise<Outcome> {
    return this.#call("validate", { conflist: list });
  }

  #attachment(verb: string, list: NetworkList, container: Container, options: AttachOptions = {}): Promise<Outcome> {
    return this.#call(verb, { ...options, conflist: list, id: this.id(container), netns: container.netns });
  }

  #call(verb: string, request: object): Promise<Outcome> {
    const input = JSON.stringify({ pluginPath: "/opt/cni/bin", ...request });
    return this.#lab.call(gocni, [verb], { input });
  }
}

/** What CRI-O knows after it has started a pod: the addresses of the result, and those at which it publishes the host's ports. */
export interface Pod {
  readonly addresses: readonly string[];
  readonly published: readonly string[];
}

/** libcni, used in CRI-O's order: ADD and at once CHECK; GC, then CHECK of every pod, after a restart. It is not CRI-O. */
export class CrioOrder {
  readonly #lab: Lab;

  constructor(lab: Lab) {
    this.#lab = lab;
  }

  /** Runs a pod. If ADD or CHECK fails, DEL ends it. A success prints a `Pod`. */
  run(list: NetworkList, { name, netns }: Container, options: AttachOptions = {}): Promise<Outcome> {
    return this.#call("crio-run", { ...options, conflist: list, id: name, netns });
  }

  /** Restarts with the pods that run. Returns a warning for each that fails CHECK, and for GC under `GC`. */
  async restart(list: NetworkList, containers: readonly Container[]): Promise<Record<string, string>> {
    const pods = containers.map(({ name, netns }) => ({ id: name, netns }));
    const { exitCode, stdout, stderr } = await this.#call("crio-restart", { conflist: list, pods });
    if (exitCode !== 0) throw new Error(stderr);
    return JSON.parse(stdout).warnings;
  }

  /** Stops a pod. Its namespace may be gone. */
  stop(list: NetworkList, { name, netns }: Container, options: AttachOptions = {}): Promise<Outcome> {
    return this.#call("crio-stop", { ...options, conflist: list, id: name, netns });
  }

  #call(verb: string, request: object): Promise<Outcome> {
    const input = JSON.stringify({ pluginPath: "/opt/cni/bin", ...request });
    return this.#lab.call(gocni, [verb], { input });
  }
}

/** cnitool needs a namespace even for verbs that have none. */
const nobody: Container = { name: "nobody", netns: "/run/netns/nobody" };

/** The specification's cnitool, which uses only libcni. */
export class Cnitool implements Runtime {
  readonly #lab: Lab;

  constructor(lab: Lab) {
    this.#lab = lab;
  }

  id(container: Container): string {
    return `cnitool-${createHash("sha512").update(container.netns).digest("hex").slice(0, 20)}`;
  }

  add(list: NetworkList, container: Container, options?: AttachOptions): Promise<Outcome> {
    return this.#call("add", list, container, options);
  }

  check(list: NetworkList, container: Container, options?: AttachOptions): Promise<Outcome> {
    return this.#call("check", list, container, options);
  }

  del(list: NetworkList, container: Container, options?: AttachOptions): Promise<Outcome> {
    return this.#call("del", list, container, options);
  }

  status(list: NetworkList): Promise<Outcome> {
    return this.#call("status", list, nobody);
  }

  /** Treats every attachment of the network as invalid. */
  gc(list: NetworkList): Promise<Outcome> {
    return this.#call("gc", list, nobody);
  }

  /** Attaches with another interface name than eth0. */
  addAs(ifName: string, list: NetworkList, container: Container, options: AttachOptions = {}): Promise<Outcome> {
    return this.#call("add", list, container, options, { CNI_IFNAME: ifName });
  }

  /** Detaches an attachment with another interface name than eth0. */
  delAs(ifName: string, list: NetworkList, container: Container, options: AttachOptions = {}): Promise<Outcome> {
    return this.#call("del", list, container, options, { CNI_IFNAME: ifName });
  }

  /** Checks an attachment with another interface name than eth0. */
  checkAs(ifName: string, list: NetworkList, container: Container, options: AttachOptions = {}): Promise<Outcome> {
    return this.#call("check", list, container, options, { CNI_IFNAME: ifName });
  }

  async #call(
    verb: string,
    list: NetworkList,
    container: Container,
    { ports, labels = {} }: AttachOptions = {},
    extra: Record<string, string> = {},
  ): Promise<Outcome> {
    await this.#lab.writeFile(`/run/lab/net.d/${list.name}.conflist`, JSON.stringify(list));
    const args = Object.entries(labels).map((pair) => pair.join("="));
    const env = {
      CNI_PATH: "/opt/cni/bin",
      NETCONFPATH: "/run/lab/net.d",
      CNI_ARGS: args.join(";"),
      CAP_ARGS: ports ? JSON.stringify({ portMappings: ports }) : "",
      ...extra,
    };
    return this.#lab.call("/run/lab/drivers/cnitool", [verb, list.name, container.netns], { env });
  }
}
