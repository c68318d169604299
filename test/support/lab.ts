import { existsSync } from "node:fs";
import { copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { type Holder, hold } from "../../build/holder.ts";
import { drivers, type PluginVersion, referencePlugins } from "./go.ts";
import { Kernel } from "./kernel.ts";
import { LabCalls, variables } from "./lab-calls.ts";
import { Cnitool, CrioOrder, GoCni, type Runtime, type runtimes } from "./runtime.ts";

/** The end of a command. */
export interface Outcome {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** A network namespace in the role of a container. */
export interface Container {
  readonly name: string;
  readonly netns: string;
}

/** The environment and stdin of a command in a lab. It has no variables besides `env` and PATH. */
export interface CallOptions {
  readonly env?: Record<string, string>;
  readonly input?: string;
}

/** A command that keeps running in a lab. The promise settles when the command ends. */
export type Service = Promise<{ readonly exitCode: number | undefined }>;

/** The plugins and programs of a lab, and the form of its file system. */
export interface LabOptions {
  /** The reference plugins: a version, which is built if it is missing, or a directory with installed ones. */
  readonly plugins: PluginVersion | { readonly directory: string };
  /** The runtime of `lab.runtime`: go-cni, unless it is said. */
  readonly runtime?: (typeof runtimes)[number];
  /** The directory with the wrappers. Without it: those of the flavor under test. */
  readonly wrappers?: string;
  /** The recorder replaces every plugin and passes the calls on. `records` returns its records. */
  readonly recorded?: boolean;
  /** Programs that the lab gets in `/run/lab/programs`, by their names there. */
  readonly programs?: Readonly<Record<string, string>>;
  /**
   * A directory of this machine that becomes `/var/lib`, as the host's disk. With it a lab can be started again, like a
   * host after a reboot: with the same files and another boot id. Without it, `/var/lib` is a tmpfs.
   */
  readonly disk?: string;
  /** Adds what container runtimes need on a host: their own `/etc`, `/tmp` and cgroups. */
  readonly forRuntimes?: boolean;
}

/** A call of a plugin in the recorder's format. */
export interface CallRecord {
  readonly plugin: string;
  readonly env: Record<string, string>;
  readonly stdin: Record<string, unknown>;
  readonly stdout: unknown;
  readonly stderr?: string;
  readonly exitCode: number;
}

const secondKernel = Boolean(process.env.CNI_WRAPPERS_SECOND_KERNEL);
const wrappersDirectory = process.env.CNI_WRAPPERS_BIN || path.resolve(import.meta.dirname, "../../dist/bin");

/** A separate host for one test: private network, mount and pid namespaces with CNI plugins in `/opt/cni/bin`. */
export class Lab implements AsyncDisposable {
  /** The CNI_PATH of the runtimes in a lab. */
  static readonly pluginPath = "/opt/cni/bin";

  readonly kernel = new Kernel(this);
  readonly goCni = new GoCni(this);
  readonly cnitool = new Cnitool(this);
  readonly crioOrder = new CrioOrder(this);
  readonly runtime: Runtime;
  readonly #holder: Holder;
  readonly #pid: string;
  readonly #calls: LabCalls;

  private constructor(holder: Holder, pid: string, runtime: (typeof runtimes)[number]) {
    this.#holder = holder;
    this.#pid = pid;
    this.runtime = this[runtime];
    this.#calls = new LabCalls(holder);
  }

  /** Makes a lab with these reference plugins and the built wrappers. */
  static async start(options: LabOptions): Promise<Lab> {
    const { plugins, runtime = "goCni", wrappers = wrappersDirectory, ...rest } = options;
    if (!existsSync(wrappers)) {
      throw new Error(`no wrappers in ${wrappers}: run "npm run build" first`);
    }
    const own = { plugins: await directoryOf(plugins), wrappers, drivers: await drivers(), node: process.execPath };
    const holder = await holdNamespaces(own.drivers, { ...own, ...rest, secondKernel });
    const children = await readFile(`/proc/${holder.pid}/task/${holder.pid}/children`, "utf8");
    return new Lab(holder, children.trim(), runtime);
  }

  /** Returns the output of a command that must succeed. */
  async run(command: string, args: readonly string[] = [], options: CallOptions = {}): Promise<string> {
    const outcome = await this.call(command, args, options);
    if (outcome.exitCode !== 0) {
      throw new Error(`${command} ${args.join(" ")}: ${outcome.stderr || outcome.stdout}`);
    }
    return outcome.stdout;
  }

  /** Runs a command that may fail. */
  call(command: string, args: readonly string[] = [], options: CallOptions = {}): Promise<Outcome> {
    return this.#calls.call([command, ...args], options);
  }

  /** Starts a command that keeps running, and appends its output to a file of the lab. It ends with the lab. */
  start(command: string, args: readonly string[], log: string): Service {
    return this.#calls.call([command, ...args], {}, log);
  }

  /** Runs ip(8), in a container's namespace if there is a container. */
  ip(container: Container | undefined, ...args: string[]): Promise<string> {
    return this.run("ip", container ? ["-n", container.name, ...args] : args);
  }

  async addContainer(name: string): Promise<Container> {
    await this.run("ip", ["netns", "add", name]);
    return { name, netns: `/run/netns/${name}` };
  }

  async deleteNamespace(container: Container): Promise<void> {
    await this.run("ip", ["netns", "delete", container.name]);
  }

  /** Replaces the installed reference plugins with others, as an upgrade does. */
  async replacePlugins(directory: string): Promise<void> {
    for (const name of await readdir(directory)) {
      const file = `${Lab.pluginPath}/${name}`;
      // The installed file is a mount of the built plugin. Never write to it.
      if (existsSync(this.path(file))) await this.run("umount", [file]);
      await this.run("touch", [file]);
      await copyFile(path.join(directory, name), this.path(file));
      await this.run("chmod", ["+x", file]);
    }
  }

  /** The path of a lab's file for this process. */
  path(file: string): string {
    return `/proc/${this.#pid}/root${file}`;
  }

  readFile(file: string): Promise<string> {
    return readFile(this.path(file), "utf8");
  }

  async writeFile(file: string, content: string): Promise<void> {
    await writeFile(this.path(file), content);
  }

  /** The sorted names in a directory; empty if it does not exist. */
  async readdir(directory: string): Promise<string[]> {
    return existsSync(this.path(directory)) ? (await readdir(this.path(directory))).sort() : [];
  }

  /** The recorded calls of plugins, in the order of the requests. */
  async records(): Promise<CallRecord[]> {
    const names = await this.readdir("/run/lab/records");
    return await Promise.all(names.map(async (name) => JSON.parse(await this.readFile(`/run/lab/records/${name}`))));
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#holder[Symbol.asyncDispose]();
  }
}

async function directoryOf(plugins: LabOptions["plugins"]): Promise<string> {
  return typeof plugins === "object" ? plugins.directory : await referencePlugins(plugins);
}

/** Starts the lab's namespaces. The shell stays their init, and adopts processes whose parents ended. */
function holdNamespaces(driverDirectory: string, lab: object): Promise<Holder> {
  const namespaces = ["--net", "--mount", "--pid", "--fork", "--mount-proc", "--propagation", "private"];
  const init = ["sh", "-c", '"$0" lab "$1"; exit', `${driverDirectory}/gocni`, JSON.stringify(lab)];
  const options = { buffer: { stdout: false }, env: variables, extendEnv: false };
  return hold("unshare", [...namespaces, "--kill-child", ...init], options);
}
