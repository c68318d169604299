import { profiles } from "../../../plugins/index.ts";
import { makeCall } from "../../../shared/call/call.ts";
import type { Plan } from "../../../shared/call/plan.ts";
import { logOf } from "../../../shared/call/session.ts";
import type { Answer, Bytes, Host } from "../../../shared/host/host.ts";
import type { JsonObject } from "../../../shared/protocol/json.ts";
import type { Request } from "../../../shared/protocol/request.ts";
import { planCall, run } from "../../../shared/run.ts";
import { frozen } from "./frozen.ts";
import { blue } from "./requests.ts";

/** One call of a wrapper. The default is an ordinary ADD of bridge-wrapper. */
export interface Call {
  readonly calledAs?: string;
  readonly executable?: string;
  readonly env?: Record<string, string | undefined>;
  /** An object is sent as JSON, a text as UTF-8. With an error, reading fails. */
  readonly stdin?: unknown;
}

/** The machine on which the call runs. */
export interface Machine {
  /** The kind of file at a path. The default has every executable in /opt/cni/bin. */
  readonly inspect?: Host["inspect"];
  /** The ends of the delegate's runs, in order. The last one is for all later runs. */
  readonly answers?: readonly FakeAnswer[];
  /** Whether the delegate can replace the process. */
  readonly canExec?: boolean;
  /** The error of writing to stdout. */
  readonly stdoutError?: Error;
  /** The small files on the host, by path, in the order in which they were written. */
  readonly files?: Readonly<Record<string, string>>;
  /** The end of a jq program. Without it, the host has no jq. */
  readonly jq?: Host["jq"];
  /** The answer of ip(8). Without it, ip(8) is missing. */
  readonly ip?: Host["ip"];
  /** The index of an interface in CNI_NETNS each time that it is read. The last one is for all later times. */
  readonly links?: readonly (number | undefined)[];
  /** The inode of each directory on the host, by path. */
  readonly directories?: Readonly<Record<string, number>>;
  /** The inode of each further network namespace, by path. */
  readonly namespaces?: Readonly<Record<string, number>>;
  /** By how many milliseconds somebody sets the clock while the wrapper waits. */
  readonly clockSetBy?: number;
  /** CNI_NETNS names no file. */
  readonly noNamespace?: boolean;
  /** What other calls do to the files while a delegate runs, and each time that the wrapper waits. */
  readonly meanwhile?: (files: Map<string, unknown>) => void;
  /** Files that are there and cannot be read. */
  readonly unreadable?: readonly string[];
  /** The reason why no file can be written. */
  readonly writeProblem?: string;
  /** The reason why the first two lines of the log cannot be written. */
  readonly logProblem?: string;
}

/** The end of a delegate's run, with the bytes that it printed. */
export type FakeAnswer =
  | Exclude<Answer, { ended: "exit" }>
  | { readonly ended: "exit"; readonly exitCode: number; readonly stdout: Uint8Array };

/** One run of a delegate. */
export interface Run {
  readonly how: "exec" | "spawn";
  readonly path: string;
  readonly env: Record<string, string | undefined>;
  /** The bytes, parsed if they are JSON; undefined if it has the wrapper's own stdin. */
  readonly stdin: unknown;
}

/** The parts of a call that a runtime and an operator see. */
export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  /** How often the wrapper itself wrote to stdout. */
  readonly writes: number;
  readonly runs: readonly Run[];
  readonly log: readonly { readonly file: string; readonly line: string }[];
  readonly stderr: string;
  /** The files that were read and the directories that were listed, in order. */
  readonly asked: readonly string[];
  /** The small files on the host after the call, without the kernel's. */
  readonly files: Readonly<Record<string, string>>;
  /** The texts that a power loss cannot take. */
  readonly flushed: readonly string[];
  /** The directories that were removed, as they were empty. */
  readonly emptied: readonly string[];
}

/** The boot id of the machine, unless the test sets another. */
export const bootId = "11111111-2222-4333-8444-555555555555";
const kernelFiles = { "/proc/sys/kernel/random/boot_id": `${bootId}\n`, "/proc/uptime": "1000.00 900.00\n" };

/** The inode of CNI_NETNS. */
export const ownNamespace = 4026531840;

/** The answer of a delegate that exits by itself; an object is printed as JSON. */
export function exits(exitCode: number, output: unknown = ""): FakeAnswer & { ended: "exit" } {
  const stdout = output instanceof Uint8Array ? output : Buffer.from(textOf(output));
  return { ended: "exit", exitCode, stdout };
}

/** The messages in the log. */
export function messagesOf({ log }: Outcome): string[] {
  return log.map(({ line }) => JSON.parse(line).message);
}

/** The verbs of the delegate's runs. */
export function commandsOf({ runs }: Pick<Outcome, "runs">): unknown[] {
  return runs.map(({ env }) => env.CNI_COMMAND);
}

/** The JSON object on stdout. */
export function printed({ stdout }: Outcome): JsonObject {
  return JSON.parse(stdout);
}

/** Answers a call as the executable does, on a fake machine. */
export function callWrapper(call: Call = {}, machine: Machine = {}): Outcome {
  const fake = fakeHost(call, machine);
  const exitCode = run(fake.host, profiles);
  return { exitCode: fake.replacedBy()?.exitCode ?? exitCode, ...fake.seen() };
}

/** Makes a session on a fake machine. `seen` returns what it did there. */
export function sessionOn(machine: Machine, call: Call = {}) {
  const { host, seen } = fakeHost(call, machine);
  return { session: { host, profiles, log: logOf({}, {}), cniVersion: undefined, fields: {} }, seen };
}

/** Plans a call on a fake machine. */
export function planOf(request: Request, calledAs = "bridge-wrapper", machine: Machine = {}): Plan {
  return planCall(makeCall(sessionOn(machine, { calledAs }).session, request));
}

/** The runtime's variables. A call can change them. */
export const environment = {
  CNI_COMMAND: "ADD",
  CNI_CONTAINERID: "blue",
  CNI_NETNS: blue,
  CNI_IFNAME: "eth0",
  CNI_PATH: "/opt/cni/bin",
};

function fakeHost(
  {
    calledAs = "/opt/cni/bin/bridge-wrapper",
    executable = "/usr/lib/cni-wrappers/cni-wrappers",
    env,
    stdin = { cniVersion: "1.0.0", name: "zone" },
  }: Call,
  {
    inspect = inOptCniBin,
    answers = [exits(0)],
    canExec = true,
    stdoutError,
    files: given,
    unreadable = [],
    writeProblem,
    logProblem,
    jq,
    ip = () => undefined,
    links = [0],
    noNamespace = false,
    namespaces = {},
    meanwhile,
    clockSetBy = 0,
    directories = {},
  }: Machine,
) {
  const [runs, log, output]: [Run[], { file: string; line: string }[], Buffer[]] = [[], [], []];
  const asked: string[] = [];
  const flushed: string[] = [];
  const emptied: string[] = [];
  let [looks, lines, stderr] = [0, 0, ""];
  let replacedBy: (FakeAnswer & { ended: "exit" }) | undefined;
  let clock = Date.UTC(2030, 0, 2, 3, 4, 5);
  let slept = 0;
  const written = Object.entries({ ...kernelFiles, ...given, "/proc/1/stat": "" });
  const files = new Map(written.map(([path, text], order) => [path, { text, modifiedMs: clock - 1000 + order }]));

  const start = (how: Run["how"], path: string, env: Host["env"], stdin: string | undefined): FakeAnswer => {
    const { CNI_WRAPPERS_NESTED: mark, ...changes } = env;
    if (mark !== "1") throw new Error("the delegate's environment has no mark");
    runs.push({ how, path, env: { ...host.env, ...changes }, stdin: stdin && parsed(stdin) });
    return answers[Math.min(runs.length, answers.length) - 1] ?? exits(0);
  };

  const print = (bytes: Uint8Array): void => {
    if (replacedBy) return;
    if (stdoutError) throw stdoutError;
    output.push(Buffer.from(bytes));
  };
  const keep = (bytes: Uint8Array): Bytes => ({
    print: () => print(bytes),
    decodeUtf8() {
      const text = Buffer.from(bytes).toString();
      return Buffer.from(text).equals(bytes) ? text : undefined;
    },
  });

  const host: Host = {
    env: frozen({ ...environment, ...env }),
    calledAs,
    executable,
    pid: 4711,
    release: { version: "1.2.3", commit: "abcdef", flavor: "slim" },
    now: () => clock,
    sleep(ms) {
      clock += ms + clockSetBy;
      slept += ms;
      meanwhile?.(files);
    },
    readStdin(limit) {
      if (stdin instanceof Error) throw stdin;
      const bytes = stdin instanceof Uint8Array ? stdin : Buffer.from(textOf(stdin));
      return bytes.length > limit ? undefined : keep(bytes);
    },
    writeStdout: (text) => print(Buffer.from(text)),
    inspect,
    tryExec(path, env, stdin) {
      if (!canExec) return;
      const answer = start("exec", path, env, stdin);
      if (answer.ended === "exit") replacedBy = answer;
      // From here on another program runs. Later actions of the wrapper do not count.
      throw new Error("replaced");
    },
    spawn(path, env, { stdin }) {
      clock += 7;
      const answer = start("spawn", path, env, stdin);
      meanwhile?.(files);
      return answer.ended === "exit" ? { ...answer, stdout: keep(answer.stdout) } : answer;
    },
    readFile(path) {
      asked.push(path);
      const text = unreadable.includes(path) ? undefined : files.get(path)?.text;
      return path === "/proc/uptime" ? text?.replace(/\S+/, (seconds) => `${Number(seconds) + slept / 1000}`) : text;
    },
    appendJournal(path, text, { makesFile, isFlushed }) {
      if (writeProblem) return writeProblem;
      if (!makesFile && !files.has(path)) return "ENOENT";
      files.set(path, { text: `${files.get(path)?.text ?? ""}${text}`, modifiedMs: clock });
      if (isFlushed) flushed.push(text);
      return undefined;
    },
    removeDirectory(path) {
      if (![...files.keys()].some((file) => file.startsWith(`${path}/`))) emptied.push(path);
    },
    removeFile(path) {
      files.delete(path);
    },
    listDirectory(path) {
      asked.push(path);
      const inside = [...files.keys()].filter((file) => file.startsWith(`${path}/`));
      return [...new Set(inside.map((file) => file.slice(path.length + 1).split("/", 1)[0] ?? ""))];
    },
    stat(path) {
      const file = files.get(path);
      const times = { modifiedMs: file?.modifiedMs ?? 0, changedMs: file?.modifiedMs ?? 0 };
      if (file) return { device: 1, inode: 2, size: file.text.length, ...times };
      const inode = directories[path];
      if (inode !== undefined) return { device: 1, inode, size: 0, ...times };
      const isOwn = path !== "" && path === host.env.CNI_NETNS && !noNamespace;
      const namespace = namespaces[path] ?? (isOwn ? ownNamespace : undefined);
      return namespace === undefined ? undefined : { device: 4, inode: namespace, size: 0, ...times };
    },
    linkIndex: () => links[Math.min(++looks, links.length) - 1],
    writeStderr(text) {
      stderr += text;
    },
    ...(jq && { jq }),
    ip,
    appendLine(file, line) {
      const problem = lines++ < 2 ? logProblem : undefined;
      if (problem === undefined && !replacedBy) log.push({ file, line });
      return problem;
    },
  };

  const seen = () => {
    const stdout = replacedBy ? Buffer.from(replacedBy.stdout) : Buffer.concat(output);
    const kept = [...files].filter(([path]) => !/^\/(proc|sys)\//.test(path)).map(([path, { text }]) => [path, text]);
    return {
      stdout: stdout.toString(),
      writes: output.length,
      runs,
      log,
      stderr,
      asked,
      files: Object.fromEntries(kept),
      flushed,
      emptied,
    };
  };
  return { host, replacedBy: () => replacedBy, seen };
}

function inOptCniBin(path: string): "executable" | "missing" {
  return path.startsWith("/opt/cni/bin/") ? "executable" : "missing";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
