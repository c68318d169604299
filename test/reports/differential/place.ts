import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { containerId, network, type Request, sandbox } from "./requests.ts";

/** All visible effects of a call. */
export interface Answer {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The input of the delegate, call by call. */
  readonly received: string;
  readonly log: string;
  /** The records on the host after the call. */
  readonly records: Readonly<Record<string, string>>;
}

const delegates = join(import.meta.dirname, "delegates");
const recordDirectory = "/var/lib/cni/wrappers";
const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();

/** Makes a directory for calls. It is removed when this process ends. */
export function makePlace(): string {
  const place = mkdtempSync(join(tmpdir(), "cni-wrappers-differential-"));
  process.on("exit", () => rmSync(place, { recursive: true, force: true }));
  return place;
}

/** Makes a call with the executables in `bin`. Values that differ between any two runs are replaced. */
export function answerOf(place: string, bin: string, request: Request): Answer {
  rmSync(recordDirectory, { recursive: true, force: true });
  const [scratch, executables] = [join(place, "scratch"), join(place, "bin")];
  for (const directory of [scratch, executables]) {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory);
  }
  symlinkSync(join(bin, "cni-wrappers"), join(executables, request.link));
  leaveRecord(request);
  for (const [verb, { output, end }] of Object.entries(request.answers)) {
    writeFileSync(join(scratch, `answer-${verb}`), output);
    writeFileSync(join(scratch, `end-${verb}`), `${end}\n`);
  }
  const log = request.logged ? { CNI_WRAPPERS_LOG: join(scratch, "log") } : {};
  const env = { ...request.env, ...log, SCRATCH: scratch, CNI_PATH: delegates, PATH: "/usr/bin:/bin" };
  const { status, signal, stdout, stderr } = call(join(executables, request.link), env, request.stdin);
  const text = (file: string) => (existsSync(file) ? readFileSync(file, "latin1") : "");
  const own = (output: string) => output.replaceAll(bin, "BIN");
  return {
    exitCode: status,
    signal,
    // The two flavors may have been built at different commits.
    stdout: own(stdout.toString("latin1")).replace(/^Built from commit .*\nFlavor: .*$/m, "Built from commit"),
    stderr: own(stderr.toString("latin1")),
    received: text(join(scratch, "received")),
    log: own(text(join(scratch, "log")))
      .replaceAll(/"time":"[^"]*"/g, '"time":""')
      .replaceAll(/"(pid|durationMs)":\d+/g, '"$1":0'),
    records: records(),
  };
}

function call(path: string, env: Record<string, string>, stdin: Request["stdin"]) {
  const options = { env, maxBuffer: 64 * 1024 * 1024 };
  if (typeof stdin !== "string") return spawnSync(path, [], { ...options, input: stdin });
  const directory = openSync("/", "r");
  try {
    return spawnSync(path, [], { ...options, stdio: [directory, "pipe", "pipe"] });
  } finally {
    closeSync(directory);
  }
}

function leaveRecord({ record }: Request): void {
  if (record === "none") return;
  const { dev, ino } = statSync(sandbox);
  mkdirSync(recordDirectory, { recursive: true });
  for (const ifName of ["eth0", "eth1"]) {
    for (const name of [network, `${network}-${ifName}`]) {
      const circumstances = {
        bootId: record === "of an earlier boot" ? "another" : bootId,
        namespace: record === "of another one" ? "1:1" : `${dev}:${ino}`,
      };
      const content = { network: name, containerId, runtimeIfName: "eth0", ifName, ...circumstances };
      const text = record === "unreadable" ? "no record" : JSON.stringify(content);
      writeFileSync(join(recordDirectory, `${name}-${containerId}-eth0-${ifName}`), text);
    }
  }
}

function records(): Record<string, string> {
  if (!existsSync(recordDirectory)) return {};
  const names = readdirSync(recordDirectory).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(recordDirectory, name), "utf8")]));
}
