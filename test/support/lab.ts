import { existsSync } from "node:fs";
import { copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { execa } from "execa";
import { drivers, type PluginVersion, referencePlugins } from "./go.ts";
import { type Holder, hold } from "./holder.ts";
import { Kernel } from "./kernel.ts";
import { Cnitool, GoCni } from "./runtime.ts";

/** How a command ended. */
export interface Outcome {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** A network namespace that stands for a container. */
export interface Container {
  readonly name: string;
  readonly netns: string;
}

/** What a command in a lab gets besides its arguments; its environment is `env` and PATH, nothing else. */
export interface CallOptions {
  readonly env?: Record<string, string>;
  readonly input?: string;
}

/** A command that stays in a lab; it is settled when the command has ended. */
export type Service = Promise<{ readonly exitCode?: number }>;

export interface LabOptions {
  /** The reference plugins: a version that is built where it is not yet, or what somebody installed. */
  readonly plugins: PluginVersion | { readonly directory: string };
  /** The recorder takes every plugin's place and passes the calls on; `records` gives what it wrote. */
  readonly recorded?: boolean;
  /** Programs that are to be had under `/run/lab/programs`, wherever they lie. */
  readonly programs?: readonly string[];
  /**
   * What stands for the host's disk: a directory of this machine that becomes `/var/lib`, so that a lab can be started
   * again after it, as a host is: with the same files, another boot id and nothing else. Without it, a tmpfs.
   */
  readonly disk?: string;
  /** Also what container runtimes need of a host: `/etc`, `/tmp` and cgroups of its own. */
  readonly forRuntimes?: boolean;
}

/** One call of a plugin as the recorder wrote it down. */
export interface CallRecord {
  readonly plugin: string;
  readonly env: Record<string, string>;
  readonly stdin: Record<string, unknown>;
  readonly stdout: unknown;
  readonly stderr?: string;
  readonly exitCode: number;
}

const wrappersDirectory = process.env.CNI_WRAPPERS_BIN || path.resolve(import.meta.dirname, "../../dist/bin");

/** A host of its own for one test: private network, mount and pid namespaces with CNI plugins in `/opt/cni/bin`. */
export class Lab implements AsyncDisposable {
  /** What a runtime here gets as CNI_PATH. */
  static readonly pluginPath = "/opt/cni/bin";

  readonly kernel = new Kernel(this);
  readonly goCni = new GoCni(this);
  readonly cnitool = new Cnitool(this);
  readonly #holder: Holder;
  readonly #pid: string;

  private constructor(holder: Holder, pid: string) {
    this.#holder = holder;
    this.#pid = pid;
  }

  /** Makes a lab with the reference plugins of this version and the wrappers that were built. */
  static async start(options: LabOptions): Promise<Lab> {
    const { plugins, recorded = false, forRuntimes = false, disk = "", programs = [] } = options;
    if (!existsSync(wrappersDirectory)) {
      throw new Error(`no wrappers in ${wrappersDirectory}: run "npm run build" first`);
    }
    const directories = [await directoryOf(plugins), wrappersDirectory, await drivers()];
    const flags = [recorded ? "recorded" : "plain", forRuntimes ? "runtimes" : "plugins"];
    const holder = await holdNamespaces([...directories, process.execPath, ...flags, disk, ...programs]);
    const children = await readFile(`/proc/${holder.pid}/task/${holder.pid}/children`, "utf8");
    return new Lab(holder, children.trim());
  }

  /** Gives what a command prints that must succeed. */
  async run(command: string, args: readonly string[] = [], options: CallOptions = {}): Promise<string> {
    const outcome = await this.call(command, args, options);
    if (outcome.exitCode !== 0) {
      throw new Error(`${command} ${args.join(" ")}: ${outcome.stderr || outcome.stdout}`);
    }
    return outcome.stdout;
  }

  /** Runs a command that may fail. */
  async call(command: string, args: readonly string[] = [], { env, input = "" }: CallOptions = {}): Promise<Outcome> {
    const { exitCode, stdout, stderr } = await execa("nsenter", this.#inside(command, args), {
      ...environment(env),
      input,
      reject: false,
    });
    return { exitCode, stdout, stderr };
  }

  /** Starts a command that stays, and appends what it prints to a file of the lab. The lab takes it along when it goes. */
  start(command: string, args: readonly string[], log: string): Service {
    const output = { file: this.path(log), append: true };
    return execa("nsenter", this.#inside(command, args), {
      ...environment(),
      stdin: "ignore",
      stdout: output,
      stderr: output,
      reject: false,
    });
  }

  #inside(command: string, args: readonly string[]): string[] {
    return ["--target", this.#pid, "--net", "--mount", "--pid", "--", command, ...args];
  }

  /** Runs ip(8), in a container's namespace if one is given. */
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

  /** Puts other reference plugins in the place of those that are installed, as an upgrade does. */
  async replacePlugins(directory: string): Promise<void> {
    for (const name of await readdir(directory)) {
      const file = `${Lab.pluginPath}/${name}`;
      // What is there is a built plugin's own file, bound to this place: it is not to be written to.
      if (existsSync(this.path(file))) await this.run("umount", [file]);
      await this.run("touch", [file]);
      await copyFile(path.join(directory, name), this.path(file));
      await this.run("chmod", ["+x", file]);
    }
  }

  /** The path by which this process reaches a file of the lab. */
  path(file: string): string {
    return `/proc/${this.#pid}/root${file}`;
  }

  readFile(file: string): Promise<string> {
    return readFile(this.path(file), "utf8");
  }

  async writeFile(file: string, content: string): Promise<void> {
    await writeFile(this.path(file), content);
  }

  /** The names in a directory in order; none if there is no such directory. */
  async readdir(directory: string): Promise<string[]> {
    return existsSync(this.path(directory)) ? (await readdir(this.path(directory))).sort() : [];
  }

  /** The calls of plugins so far, in the order of the requests. Only in a recorded lab. */
  async records(): Promise<CallRecord[]> {
    const names = await this.readdir("/run/lab/records");
    return await Promise.all(names.map(async (name) => JSON.parse(await this.readFile(`/run/lab/records/${name}`))));
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#holder[Symbol.asyncDispose]();
  }
}

function environment(env: Record<string, string> = {}) {
  return { env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", ...env }, extendEnv: false } as const;
}

async function directoryOf(plugins: LabOptions["plugins"]): Promise<string> {
  return typeof plugins === "object" ? plugins.directory : await referencePlugins(plugins);
}

function holdNamespaces(args: readonly string[]): Promise<Holder> {
  const namespaces = ["--net", "--mount", "--pid", "--fork", "--mount-proc", "--propagation", "private"];
  const script = path.join(import.meta.dirname, "lab.sh");
  return hold("unshare", [...namespaces, "--kill-child", "sh", script, ...args]);
}
