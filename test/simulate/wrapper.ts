import { profiles } from "../../plugins/index.ts";
import type { Answer, Bytes, Host } from "../../shared/host/host.ts";
import type { JsonObject } from "../../shared/protocol/json.ts";
import { run } from "../../shared/run.ts";
import type { Machine } from "./machine.ts";
import { type PluginCall, PluginError, plugins } from "./plugins.ts";

/** The end of the process that asked: a kill, or the power. */
export class Ended extends Error {}

/** The end of a plugin alone, by a signal. */
export class PluginKilled extends Error {}

/** What may happen between two answers of the host. It throws `Ended` or, inside a plugin, `PluginKilled`. */
export type Between = (where: string) => void;

/** The answer of an executable to the runtime. */
export interface Reply {
  readonly exitCode: number;
  readonly answer: JsonObject | undefined;
}

/** A fault of every host, by which a test shows that a broken promise is seen. */
export type Sabotage = Partial<Host>;

/** Runs a wrapper: the real core on a host of the model. Throws `Ended` if the process is killed. */
export function call(
  machine: Machine,
  type: string,
  { env, config }: PluginCall,
  between: Between,
  sabotage: Sabotage = {},
): Reply {
  const process = Object.assign(new Process(machine, type, { env, config }, between), sabotage);
  let exitCode = 0;
  try {
    exitCode = run(process, profiles);
  } catch (error) {
    if (!process.isDead()) throw error;
  }
  if (process.isDead()) throw new Ended();
  const text = process.output();
  return { exitCode: process.replaced ?? exitCode, answer: text === "" ? undefined : JSON.parse(text) };
}

/** The host as one wrapper sees it. A killed process can do nothing more. */
class Process implements Host {
  readonly env: Host["env"];
  readonly calledAs: string;
  readonly executable = "/opt/cni/bin/cni-wrappers";
  readonly pid = 4711;
  readonly release = { version: "1.2.3", commit: "abcdef", flavor: "slim" };
  replaced: number | undefined;
  readonly #machine: Machine;
  readonly #stdin: string;
  readonly #between: Between;
  readonly #boot: number;
  #output = "";
  #dead = false;

  constructor(machine: Machine, type: string, { env, config }: PluginCall, between: Between) {
    this.#machine = machine;
    this.#boot = machine.boot;
    this.#stdin = JSON.stringify(config);
    this.#between = between;
    this.env = env;
    this.calledAs = `/opt/cni/bin/${type}`;
  }

  isDead(): boolean {
    return this.#dead || this.#machine.boot !== this.#boot;
  }

  output(): string {
    return this.#output;
  }

  now(): number {
    return this.#machine.now;
  }

  readStdin(): Bytes {
    return this.#bytes(this.#stdin);
  }

  writeStdout(text: string): void {
    this.#live("stdout");
    if (this.replaced === undefined) this.#output += text;
  }

  inspect(path: string): "executable" | "missing" {
    return plugins[path.slice(path.lastIndexOf("/") + 1)] ? "executable" : "missing";
  }

  tryExec(path: string, env: Host["env"], stdin: string | undefined): void {
    const answer = this.spawn(path, env, stdin);
    if (answer.ended === "exit") this.#output += answer.stdout.decodeUtf8();
    this.replaced = answer.ended === "exit" ? answer.exitCode : 137;
    throw new Error("replaced");
  }

  spawn(path: string, changes: Host["env"], stdin: string | undefined): Answer {
    this.#live("spawn");
    const plugin = plugins[path.slice(path.lastIndexOf("/") + 1)];
    const given = { env: { ...this.env, ...changes }, config: JSON.parse(stdin ?? this.#stdin) };
    const exits = (exitCode: number, value: unknown): Answer => {
      this.#live("after the plugin");
      return { ended: "exit", exitCode, stdout: this.#bytes(value === undefined ? "" : JSON.stringify(value)) };
    };
    try {
      return exits(
        0,
        plugin?.(this.#machine, given, (name) => this.#live(`plugin, ${name}`)),
      );
    } catch (error) {
      if (error instanceof PluginError) return exits(1, { cniVersion: "1.0.0", code: 999, msg: error.message });
      if (error instanceof PluginKilled) return { ended: "signal", signal: "SIGKILL" };
      throw error;
    }
  }

  readFile(path: string): string | undefined {
    this.#live("read");
    if (path === "/proc/sys/kernel/random/boot_id") return `boot-${this.#machine.boot}\n`;
    return this.#machine.files.get(path)?.text;
  }

  writeFile(path: string, text: string): undefined {
    this.#live("before a write");
    this.#machine.writeFile(path, text);
    this.#live("after a write");
  }

  removeFile(path: string): void {
    this.#live("before a removal");
    this.#machine.files.delete(path);
    this.#live("after a removal");
  }

  listDirectory(path: string): readonly string[] {
    this.#live("list");
    return this.#machine.list(path);
  }

  stat(path: string): ReturnType<Host["stat"]> {
    this.#live("stat");
    const namespace = this.#machine.namespaces.get(path);
    if (namespace) return { device: 4, inode: namespace.inode, modifiedMs: 0 };
    const file = this.#machine.files.get(path);
    return file && { device: 1, inode: 2, modifiedMs: file.modifiedMs };
  }

  linkIndex(netns: string, name: string): number | undefined {
    this.#live("link");
    const namespace = this.#machine.namespaces.get(netns);
    return namespace && (namespace.links.get(name)?.index ?? 0);
  }

  writeStderr(): void {}

  ip(): undefined {}

  appendLine(): undefined {}

  #bytes(text: string): Bytes {
    return { decodeUtf8: () => text, print: () => this.writeStdout(text) };
  }

  #live(where: string): void {
    if (this.isDead()) throw new Ended();
    try {
      this.#between(where);
    } catch (error) {
      if (error instanceof Ended) this.#dead = true;
      throw error;
    }
    this.#machine.now++;
    if (this.isDead()) throw new Ended();
  }
}
