import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { execa } from "execa";
import { onTestFinished } from "vitest";

/** The directory of the executables that were built. */
export const bin = process.env.CNI_WRAPPERS_BIN || join(import.meta.dirname, "../../../dist/bin");
/** The directory of the tiny executables that stand for plugins. */
export const delegates = join(import.meta.dirname, "../delegates");

/** The verbs that are handed over: the delegate takes the wrapper's process. */
export const handedOver = ["CHECK", "DEL", "GC", "STATUS"] as const;
export const verbs = ["ADD", ...handedOver] as const;

/** A call of an executable. What is left out is what an ordinary ADD of bridge-wrapper has. */
export interface Call {
  readonly command?: string;
  readonly delegate?: string;
  readonly env?: Record<string, string | undefined>;
  readonly configuration?: Record<string, unknown>;
  /** In the place of the configuration. */
  readonly stdin?: string | Uint8Array;
  /** The executable. */
  readonly path?: string;
  /** A command that starts the executable, which is put behind it. */
  readonly through?: readonly string[];
}

/** How a call ended. */
export interface Ended {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** One character a byte: see `bytesOf`. */
  readonly stdout: string;
  readonly stderr: string;
}

/** A place where delegates leave what they were given, and find what to answer. It is gone after the test. */
export class Machine {
  readonly directory = mkdtempSync(join(tmpdir(), "cni-wrappers-executable-"));

  constructor() {
    onTestFinished(() => rmSync(this.directory, { recursive: true, force: true }));
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  /** Writes a file. */
  file(name: string, content: string | Uint8Array, mode = 0o644): string {
    writeFileSync(this.path(name), content, { mode });
    return this.path(name);
  }

  /** What the delegate `plain` is to print on that verb. */
  answer(command: string, content: string | Uint8Array): void {
    this.file(`answer-${command}`, content);
  }

  /** The verbs of the delegate's runs, in order. */
  calls(): string[] {
    return this.read("calls")?.toString().trimEnd().split("\n") ?? [];
  }

  /** What the delegate got on stdin. */
  received(command: string): Buffer | undefined {
    return this.read(`stdin-${command}`);
  }

  read(name: string): Buffer | undefined {
    return existsSync(this.path(name)) ? readFileSync(this.path(name)) : undefined;
  }

  /** Calls an executable, and waits for its end. */
  async call(call: Call = {}): Promise<Ended> {
    const { path = join(bin, "bridge-wrapper"), through = [], stdin = stdinOf(call) } = call;
    const [command = path, ...args] = [...through, path];
    const { exitCode, signal, stdout, stderr, failed, message } = await execa(command, args, {
      env: { ...this.environment(call), ...call.env },
      extendEnv: false,
      cwd: this.directory,
      input: stdin,
      encoding: "buffer",
      stripFinalNewline: false,
      reject: false,
      // Of what a delegate is to print and of what it is to be given.
      maxBuffer: 64 * 1024 * 1024,
    });
    if (exitCode === undefined && signal === undefined) throw new Error(failed ? message : "no end");
    return { exitCode, signal, stdout: bytesOf(stdout), stderr: Buffer.from(stderr).toString() };
  }

  /** Calls the delegate itself, without a wrapper. */
  bare(call: Call & { delegate: string }): Promise<Ended> {
    return this.call({ ...call, path: join(delegates, call.delegate) });
  }

  /** The environment of a call: all of it. */
  environment({ command = "ADD" }: Call): Record<string, string> {
    return {
      PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
      SCRATCH: this.directory,
      CNI_COMMAND: command,
      CNI_CONTAINERID: "blue",
      // There is none: what ADD notes of its namespace is kept on the host.
      CNI_NETNS: this.path("netns"),
      CNI_IFNAME: "eth0",
      CNI_PATH: delegates,
    };
  }
}

/** A text with one character a byte, so that what differs can be read. */
export function bytesOf(content: string | Uint8Array): string {
  return Buffer.from(content).toString("latin1");
}

/** What a runtime sends for a call. */
export function stdinOf({ delegate = "plain", configuration = {} }: Call): string {
  const { wrapper, ...rest } = configuration;
  const block = { delegate, ...(wrapper as object | undefined) };
  return JSON.stringify({ cniVersion: "1.0.0", name: "zone", type: "bridge-wrapper", wrapper: block, ...rest });
}

/** The CNI error that is on stdout, if there is one and nothing else. */
export function errorOf({ stdout }: Ended): { code: number; msg: string; details: string } {
  return JSON.parse(Buffer.from(stdout, "latin1").toString());
}

/** What a call that ends in the wrapper's own error looks like. */
export function failure(code: number) {
  return { exitCode: 1, stderr: "", code };
}

/** A call's end, as `failure` describes it. */
export function seen(ended: Ended) {
  return { exitCode: ended.exitCode, stderr: ended.stderr, code: errorOf(ended).code };
}
