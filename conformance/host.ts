import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import type { Holder } from "../build/holder.ts";
import { type CallOptions, HostCalls, type Outcome } from "./calls.ts";
import { type Container, HostKernel } from "./kernel.ts";

/** A separate host: private network, mount and pid namespaces, with a server that runs commands in them. */
export class PrivateHost implements AsyncDisposable {
  /** The CNI_PATH of its plugins. */
  readonly pluginPath: string;
  readonly kernel: HostKernel = new HostKernel(this);
  readonly #holder: Holder;
  readonly #pid: string;
  protected readonly calls: HostCalls;

  /** `pid`: a process in the namespaces. */
  protected constructor(holder: Holder, pid: string, pluginPath: string) {
    this.#holder = holder;
    this.#pid = pid;
    this.calls = new HostCalls(holder);
    this.pluginPath = pluginPath;
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
    return this.calls.call([command, ...args], options);
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

  /** The path of a host's file for this process. */
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

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#holder[Symbol.asyncDispose]();
  }
}

/** Finds the process that unshare(1) started in the new namespaces. */
export async function innerPid({ pid }: Holder): Promise<string> {
  return (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim();
}
