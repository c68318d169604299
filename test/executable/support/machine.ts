import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { test as base, onTestFinished } from "vitest";

/** The directory of the built executables. */
export const bin = process.env.CNI_WRAPPERS_BIN || join(import.meta.dirname, "../../../dist/bin");
/** The directory of the tiny executables that stand for plugins. */
export const delegates = join(import.meta.dirname, "../delegates");

/** The verbs on which the delegate replaces the wrapper's process. */
export const handedOver = ["CHECK", "DEL", "GC", "STATUS"] as const;
export const verbs = ["ADD", ...handedOver] as const;

/** Gives each case one of the values, in turn: pairs instead of all combinations. */
export function inTurn<V, C extends readonly unknown[]>(values: readonly V[], cases: readonly C[]): [V, ...C][] {
  return cases.map((one, index) => [values[index % values.length] as V, ...one]);
}

/** A command that runs a shell script. The executable is in its arguments. */
export function through(script: string): string[] {
  return ["sh", "-c", script, "sh"];
}

/** The same in private mount and network namespaces. */
export function apart(script: string): string[] {
  return ["unshare", "--mount", "--net", ...through(script)];
}

/** A command that runs its arguments where `/var/lib` is a machine's own. A shell would change the variables. */
export function onMachine(machine: Machine): string[] {
  const script = 'system("mount", "--bind", shift, "/var/lib") and die; exec {$ARGV[0]} @ARGV or die "$ARGV[0]: $!"';
  return ["/usr/bin/unshare", "--mount", "/usr/bin/perl", "-e", script, machine.path("lib")];
}

/** A call of an executable. The default is an ordinary ADD of bridge-wrapper. */
export interface Call {
  readonly command?: string;
  readonly delegate?: string;
  readonly env?: Record<string, string | undefined>;
  readonly configuration?: Record<string, unknown>;
  /** Replaces the configuration. */
  readonly stdin?: string | Uint8Array;
  readonly path?: string;
  /** A command that starts the executable. Its last argument is the executable. */
  readonly through?: readonly string[];
}

/** How a call ended. */
export interface Ended {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** One character for each byte: see `bytesOf`. */
  readonly stdout: string;
  readonly stderr: string;
}

/** A directory in which delegates keep their input and find their answers. It is removed after the test. */
export class Machine {
  readonly directory = mkdtempSync(join(tmpdir(), "cni-wrappers-executable-"));

  constructor() {
    mkdirSync(this.path("lib"));
    for (const verb of verbs) this.answer(verb, "{}");
    onTestFinished(() => rmSync(this.directory, { recursive: true, force: true }));
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  file(name: string, content: string | Uint8Array, mode = 0o644): string {
    writeFileSync(this.path(name), content, { mode });
    return this.path(name);
  }

  /** Sets the answer of the delegate `plain` on that verb. Without it, the answer is `{}`. */
  answer(command: string, content: string | Uint8Array): void {
    this.file(`answer-${command}`, content);
  }

  /** The verbs of the delegate's runs, in order. */
  calls(): string[] {
    return this.read("calls")?.toString().trimEnd().split("\n") ?? [];
  }

  /** The delegate's stdin. */
  received(command: string): Buffer | undefined {
    return this.read(`stdin-${command}`);
  }

  read(name: string): Buffer | undefined {
    return existsSync(this.path(name)) ? readFileSync(this.path(name)) : undefined;
  }

  /** Calls an executable and waits for its end. */
  async call(call: Call = {}): Promise<Ended> {
    const { path = join(bin, "bridge-wrapper"), through = [], stdin = stdinOf(call) } = call;
    const [command = path, ...args] = [...onMachine(this), ...through, path];
    const { exitCode, signal, stdout, stderr, failed, message } = await execa(command, args, {
      env: { ...this.environment(call), ...call.env },
      extendEnv: false,
      cwd: this.directory,
      input: stdin,
      encoding: "buffer",
      stripFinalNewline: false,
      reject: false,
      // Enough for the largest answer and the largest stdin.
      maxBuffer: 64 * 1024 * 1024,
    });
    if (exitCode === undefined && signal === undefined) throw new Error(failed ? message : "no end");
    return { exitCode, signal, stdout: bytesOf(stdout), stderr: Buffer.from(stderr).toString() };
  }

  /** Calls the delegate itself, without a wrapper. */
  bare(call: Call & { delegate: string }): Promise<Ended> {
    return this.call({ ...call, path: join(delegates, call.delegate) });
  }

  /** The whole environment of a call. */
  environment({ command = "ADD" }: Call): Record<string, string> {
    return {
      PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
      SCRATCH: this.directory,
      CNI_COMMAND: command,
      CNI_CONTAINERID: "blue",
      // There is none. The record of ADD about its namespace is on the host.
      CNI_NETNS: this.path("netns"),
      CNI_IFNAME: "eth0",
      CNI_PATH: delegates,
    };
  }
}

/** A test that gets a machine of its own. */
export const test = base.extend<{ machine: Machine }>({ machine: ({ task: _ }, use) => use(new Machine()) });

/** A text with one character for each byte, so that a difference is readable. */
export function bytesOf(content: string | Uint8Array): string {
  return Buffer.from(content).toString("latin1");
}

/** The stdin of a call. */
export function stdinOf({ delegate = "plain", configuration = {} }: Call): string {
  const { wrapper, ...rest } = configuration;
  const block = { delegate, ...(wrapper as object | undefined) };
  return JSON.stringify({ cniVersion: "1.0.0", name: "zone", type: "bridge-wrapper", wrapper: block, ...rest });
}

/** The CNI error on stdout, if stdout has nothing else. */
export function errorOf({ stdout }: Ended): { code: number; msg: string; details: string } {
  return JSON.parse(Buffer.from(stdout, "latin1").toString());
}

/** The expected end of a call with an error of the wrapper. */
export function failure(code: number) {
  return { exitCode: 1, stderr: "", code };
}

/** A call's end in the form of `failure`. */
export function seen(ended: Ended) {
  return { exitCode: ended.exitCode, stderr: ended.stderr, code: errorOf(ended).code };
}
