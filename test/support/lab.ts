import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { type Holder, hold } from "../../build/holder.ts";
import { variables } from "../../conformance/calls.ts";
import { innerPid, PrivateHost } from "../../conformance/host.ts";
import { drivers, type PluginVersion, referencePlugins } from "./go.ts";
import { Kernel } from "./kernel.ts";
import { Cnitool, CrioOrder, GoCni, type Runtime, type runtimes } from "./runtime.ts";

export type { CallOptions, Outcome } from "../../conformance/calls.ts";
export type { Container } from "../../conformance/kernel.ts";

/** A command that keeps running. The promise settles when the command ends. */
export type Service = Promise<{ readonly exitCode: number | undefined }>;

/** The plugins and programs of a lab, and the form of its file system. */
export interface LabOptions {
  /** The reference plugins: a version, which is built if it is missing, or a directory with installed ones. Without it: the newest. */
  readonly plugins?: PluginVersion | { readonly directory: string };
  /** The runtime of `lab.runtime`: go-cni, unless it is said. */
  readonly runtime?: (typeof runtimes)[number];
  /** The directory with the wrappers. Without it: those of the flavor under test. */
  readonly wrappers?: string;
  /** The recorder replaces every plugin and passes the calls on. `records` returns its records. */
  readonly recorded?: boolean;
  /** Programs that the lab gets in `/run/lab/programs`, by their names there, besides the commands of the Node flavor. */
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

const nodeFlavor = path.resolve(import.meta.dirname, "../../dist/bin");
const wrappersDirectory = process.env.CNI_WRAPPERS_BIN || nodeFlavor;
const commands = path.join(nodeFlavor, "cni-wrappers");

/** A separate host for one test: private network, mount and pid namespaces with CNI plugins in `/opt/cni/bin`. */
export class Lab extends PrivateHost {
  /** The CNI_PATH of the runtimes in a lab. */
  static readonly pluginPath = "/opt/cni/bin";
  /** The operator's commands, which only the Node flavor has. The wrappers may be of either flavor. */
  static readonly command = "/run/lab/programs/cni-wrappers";

  override readonly kernel: Kernel = new Kernel(this);
  readonly goCni = new GoCni(this);
  readonly cnitool = new Cnitool(this);
  readonly crioOrder = new CrioOrder(this);
  readonly runtime: Runtime;

  private constructor(holder: Holder, pid: string, runtime: (typeof runtimes)[number]) {
    super(holder, pid, Lab.pluginPath);
    this.runtime = this[runtime];
  }

  /** Makes a lab with these reference plugins and the built wrappers. */
  static async start(options: LabOptions = {}): Promise<Lab> {
    const { plugins, runtime = "goCni", wrappers = wrappersDirectory, programs: others, ...rest } = options;
    if (!existsSync(wrappers)) throw new Error(`no wrappers in ${wrappers}: run "npm run build" first`);
    const own = { plugins: await directoryOf(plugins), wrappers, drivers: await drivers(), node: process.execPath };
    const programs = { ...(existsSync(commands) && { "cni-wrappers": commands }), ...others };
    const holder = await holdNamespaces(own.drivers, { ...own, ...rest, programs });
    return new Lab(holder, await innerPid(holder), runtime);
  }

  /** Starts a command that keeps running, and appends its output to a file of the lab. It ends with the lab. */
  start(command: string, args: readonly string[], log: string): Service {
    return this.calls.call([command, ...args], {}, log);
  }

  /** Writes a file, and makes the directories that it needs. */
  override async writeFile(file: string, content: string): Promise<void> {
    await mkdir(path.dirname(this.path(file)), { recursive: true });
    await super.writeFile(file, content);
  }

  /** Puts an executable in the place of a file, which may be a link out of the lab or a mount. */
  async writeScript(file: string, content: string): Promise<void> {
    await this.run("sh", ["-c", `umount ${file} 2>/dev/null; rm -f ${file}`]);
    await this.writeFile(file, content);
    await chmod(this.path(file), 0o755);
  }

  /** Replaces the installed reference plugins with others, as an upgrade does. */
  async replacePlugins(directory: string): Promise<void> {
    const names = await readdir(directory);
    // An installed file is a mount of the built plugin. Never write to it.
    await this.run("sh", ["-c", `cd ${Lab.pluginPath}; umount "$@" 2>/dev/null; rm -f "$@"`, "sh", ...names]);
    const install = (name: string) => copyFile(path.join(directory, name), this.path(`${Lab.pluginPath}/${name}`));
    await Promise.all(names.map(install));
  }

  /** The recorded calls of plugins, in the order of the requests. */
  async records(): Promise<CallRecord[]> {
    const names = await this.readdir("/run/lab/records");
    return await Promise.all(names.map(async (name) => JSON.parse(await this.readFile(`/run/lab/records/${name}`))));
  }
}

async function directoryOf(plugins: LabOptions["plugins"]): Promise<string> {
  return typeof plugins === "object" ? plugins.directory : await referencePlugins(plugins);
}

/** Starts the lab's namespaces. The shell stays their init, and adopts processes whose parents ended. */
function holdNamespaces(driverDirectory: string, lab: object): Promise<Holder> {
  const namespaces = ["--net", "--mount", "--pid", "--fork", "--mount-proc", "--propagation", "private"];
  const init = ["sh", "-c", '"$0" lab "$1"; exit', `${driverDirectory}/gocni`, JSON.stringify(lab)];
  const options = { env: variables };
  return hold("unshare", [...namespaces, "--kill-child", ...init], options);
}
