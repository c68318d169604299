import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
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
  /** The journals on the host after the call. */
  readonly journals: Readonly<Record<string, string>>;
}

const delegates = join(import.meta.dirname, "delegates");
const journalDirectory = "/var/lib/cni/wrappers";
const bootId = fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();

/** Makes a directory for calls. It is removed when this process ends. */
export function makePlace(): string {
  const place = fs.mkdtempSync(join(tmpdir(), "cni-wrappers-differential-"));
  process.on("exit", () => fs.rmSync(place, { recursive: true, force: true }));
  return place;
}

/** Makes a call with the executables in `bin`. Values that differ between any two runs are replaced. */
export function answerOf(place: string, bin: string, request: Request): Answer {
  fs.rmSync(journalDirectory, { recursive: true, force: true });
  const [scratch, executables] = [join(place, "scratch"), join(place, "bin")];
  for (const directory of [scratch, executables]) {
    fs.rmSync(directory, { recursive: true, force: true });
    fs.mkdirSync(directory);
  }
  fs.symlinkSync(join(bin, "cni-wrappers"), join(executables, request.link));
  leaveJournal(request);
  for (const [verb, { output, end }] of Object.entries(request.answers)) {
    fs.writeFileSync(join(scratch, `answer-${verb}`), output);
    fs.writeFileSync(join(scratch, `end-${verb}`), `${end}\n`);
  }
  const log = request.logged ? { CNI_WRAPPERS_LOG: join(scratch, "log") } : {};
  const env = { ...request.env, ...log, SCRATCH: scratch, CNI_PATH: delegates, PATH: "/usr/bin:/bin" };
  const { status, signal, stdout, stderr } = call(join(executables, request.link), env, request.stdin);
  const text = (file: string) => (fs.existsSync(file) ? fs.readFileSync(file, "latin1") : "");
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
    journals: journals(),
  };
}

function call(path: string, env: Record<string, string>, stdin: Request["stdin"]) {
  const options = { env, maxBuffer: 64 * 1024 * 1024 };
  if (typeof stdin !== "string") return spawnSync(path, [], { ...options, input: stdin });
  const directory = fs.openSync("/", "r");
  try {
    return spawnSync(path, [], { ...options, stdio: [directory, "pipe", "pipe"] });
  } finally {
    fs.closeSync(directory);
  }
}

/** Leaves a journal as the ADDs of two creators would. Its file is the one of the attachment. */
function leaveJournal({ journal }: Request): void {
  if (journal === "none") return;
  const { dev, ino } = fs.statSync(sandbox);
  const key = { network, containerId, runtimeIfName: "eth0" };
  const inode = journal === "of another namespace" ? 1 : ino;
  const circumstances = {
    bootId: journal === "of an earlier boot" ? "another" : bootId,
    namespace: { path: sandbox, device: dev, inode },
    uptime: 1,
  };
  const format = journal === "of a newer format" ? 2 : 1;
  const lines = ["eth0", "eth1"].flatMap((ifName) => {
    const [type, name] = ["bridge", ifName === "eth0" ? network : `${network}-${ifName}`];
    const plugin = { type, role: "creator", ifName, delegateNetwork: name, path: `/opt/cni/bin/${type}`, args: "" };
    const configuration = { cniVersion: "1.0.0", name, type };
    return [
      {
        line: "began",
        format,
        ...key,
        ...circumstances,
        id: ifName,
        ...plugin,
        checksum: "0",
        wrapper: {},
        configuration,
      },
      { line: "done", id: ifName, addresses: ["10.1.0.2/24"] },
    ];
  });
  const text = journal === "unreadable" ? "no journal\n" : lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const file = join(journalDirectory, containerId, `${network}:eth0`);
  fs.mkdirSync(journal === "a directory" ? file : dirname(file), { recursive: true });
  if (journal !== "a directory") fs.writeFileSync(file, text);
}

/** The journals by their files. The identity of an entry has the process and the time. */
function journals(): Record<string, string> {
  if (!fs.existsSync(journalDirectory)) return {};
  const files = fs
    .readdirSync(journalDirectory, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return Object.fromEntries(paths.map((path) => [path, withoutTimes(fs.readFileSync(path, "utf8"))]));
}

function withoutTimes(text: string): string {
  return text.replaceAll(/"\d+-\d+-\d+"/g, '"ID"').replaceAll(/"uptime":[\d.]+/g, '"uptime":0');
}
