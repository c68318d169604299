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

/** A call for one attachment. */
type Call = (list: NetworkList, container: Container, options?: AttachOptions) => Promise<Outcome>;

/** The same with another interface name than eth0. */
type CallAs = (ifName: string, ...rest: Parameters<Call>) => Promise<Outcome>;

/** A program that calls plugins as a container runtime does, for the interface eth0. */
export interface Runtime {
  /** Its id for a container. */
  id(container: Container): string;
  readonly add: Call;
  readonly check: Call;
  readonly del: Call;
  status(list: NetworkList): Promise<Outcome>;
}

/** The runtimes of most cases. */
export const runtimes = ["goCni", "cnitool"] as const satisfies (keyof Lab)[];

/** The program of `GoCni` in a lab. */
export const gocni = "/run/lab/drivers/gocni";

/** The program that calls libcni, in a lab. */
class Program {
  readonly #lab: Lab;

  constructor(lab: Lab) {
    this.#lab = lab;
  }

  protected call(verb: string, request: object): Promise<Outcome> {
    const input = JSON.stringify({ pluginPath: "/opt/cni/bin", ...request });
    return this.#lab.call(gocni, [verb], { input });
  }

  /** A verb for one container. */
  protected verb(verb: string): Call {
    return (conflist, { name: id, netns }, options) => this.call(verb, { ...options, conflist, id, netns });
  }
}

/** go-cni, used as in Nomad. It also calls libcni directly for verbs that go-cni does not have. */
export class GoCni extends Program implements Runtime {
  readonly add = this.verb("setup");
  readonly check = this.verb("check");
  readonly del = this.verb("remove");

  id(container: Container): string {
    return container.name;
  }

  status(list: NetworkList, options: Pick<AttachOptions, "pluginPath"> = {}): Promise<Outcome> {
    return this.call("status", { ...options, conflist: list });
  }

  gc(list: NetworkList, validAttachments: readonly Attachment[]): Promise<Outcome> {
    return this.call("gc", { conflist: list, validAttachments });
  }

  /** libcni's probe of one plugin. */
  version(plugin: string, pluginPath?: string): Promise<Outcome> {
    return this.call("version", { plugin, ...(pluginPath && { pluginPath }) });
  }

  /** libcni's probe of every plugin of a list. */
  validate(list: NetworkList): Promise<Outcome> {
    return this.call("validate", { conflist: list });
  }
}

/** What CRI-O knows after it has started a pod: the addresses of the result, and those at which it publishes the host's ports. */
export interface Pod {
  readonly addresses: readonly string[];
  readonly published: readonly string[];
}

/** libcni, used in CRI-O's order: ADD and at once CHECK; GC, then CHECK of every pod, after a restart. It is not CRI-O. */
export class CrioOrder extends Program {
  /** Runs a pod. If ADD or CHECK fails, DEL ends it. A success prints a `Pod`. */
  readonly run = this.verb("crio-run");
  /** Stops a pod. Its namespace may be gone. */
  readonly stop = this.verb("crio-stop");

  /** Restarts with the pods that run. Returns a warning for each that fails CHECK, and for GC under `GC`. */
  async restart(list: NetworkList, containers: readonly Container[]): Promise<Record<string, string>> {
    const pods = containers.map(({ name, netns }) => ({ id: name, netns }));
    const { exitCode, stdout, stderr } = await this.call("crio-restart", { conflist: list, pods });
    if (exitCode !== 0) throw new Error(stderr);
    return JSON.parse(stdout).warnings;
  }
}

/** cnitool needs a namespace even for verbs that have none. */
const nobody: Container = { name: "nobody", netns: "/run/netns/nobody" };

/** The specification's cnitool, which uses only libcni. */
export class Cnitool implements Runtime {
  readonly #lab: Lab;
  readonly add: Call = (...attachment) => this.#call("add", ...attachment);
  readonly check: Call = (...attachment) => this.#call("check", ...attachment);
  readonly del: Call = (...attachment) => this.#call("del", ...attachment);
  readonly addAs = this.#verbAs("add");
  readonly checkAs = this.#verbAs("check");
  readonly delAs = this.#verbAs("del");

  constructor(lab: Lab) {
    this.#lab = lab;
  }

  id(container: Container): string {
    return `cnitool-${createHash("sha512").update(container.netns).digest("hex").slice(0, 20)}`;
  }

  status(list: NetworkList): Promise<Outcome> {
    return this.#call("status", list, nobody);
  }

  /** Treats every attachment of the network as invalid. */
  gc(list: NetworkList): Promise<Outcome> {
    return this.#call("gc", list, nobody);
  }

  #verbAs(verb: string): CallAs {
    return (ifName, list, container, options) => this.#call(verb, list, container, options, { CNI_IFNAME: ifName });
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
