import { spawn, spawnSync } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { type Outcome, variables } from "./calls.ts";

interface Request {
  readonly id: number;
  readonly argv: readonly [string, ...string[]];
  /** NAME=value. */
  readonly env: readonly string[];
  readonly input: string;
  readonly seconds?: number;
}

/** A result has some kilobytes. */
const mostText = 2 ** 20;
const keepsOpen = "it ended, but a process that it started keeps its stdout or stderr open, so that a runtime waits";

// The machine's files come first: a plugin runs as root, and must not change them. Then the plugins, because later mounts
// hide parts of the file system. The first of these is /run: the names of plugins in /run still lead there from their
// folder, if nothing resolves them. A link to another folder becomes what it leads to. uplink0 is the parent of macvlan
// interfaces, and uplink1 the network behind it.
const make = `
  while read -r _ _ _ _ point _; do
    case $point in
      /) mount -o remount,bind,ro none / ;;
      /dev | /dev/* | /proc | /proc/* | /sys | /sys/*) ;;
      *) mount -o remount,bind,ro none "$(printf %b "$point")" 2>/dev/null || : ;;
    esac
  done </proc/self/mountinfo
  cd "$1"
  mount -t tmpfs lab /run
  mkdir -p /run/netns /run/lab/bin
  mount --bind /run/netns /run/netns
  mount --make-shared /run/netns
  for file in *; do
    if [ -L "$file" ] && link=$(readlink "$file") && [ "$link" = "\${link##*/}" ]; then cp -P "./$file" /run/lab/bin/
    elif [ -f "$file" ]; then
      : >"/run/lab/bin/$file"
      mount --no-canonicalize --bind "./$file" "/run/lab/bin/$file"
    fi
  done
  for hidden in /opt /tmp /var/cache /var/lib /var/log /var/tmp; do
    if [ -d $hidden ]; then mount -t tmpfs lab $hidden; fi
  done
  umount -l /sys
  mount -t sysfs lab /sys
  ip link set lo up
  ip link add uplink0 type veth peer name uplink1
  ip link set uplink0 up
  ip link set uplink1 up`;

/** Makes its namespaces look like a host with the plugins of a folder, and runs commands until stdin is closed. */
export function serve(plugins: string): number {
  const made = spawnSync("sh", ["-ec", make, "sh", plugins], { encoding: "utf8", env: variables });
  if (made.status !== 0) {
    console.error(made.stderr.trim());
    return 1;
  }
  process.stdout.write("ready\n");
  const lines = createInterface(process.stdin);
  lines.on("line", (line) => void run(JSON.parse(line)));
  lines.on("close", () => process.exit());
  return 0;
}

async function run({ id, argv, env, input, seconds }: Request): Promise<void> {
  const pairs = env.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]);
  const [program, ...args] = argv;
  const child = spawn(program, args, { env: Object.fromEntries(pairs), cwd: "/", detached: true });
  const output = { stdout: "", stderr: "" };
  const { promise, resolve } = Promise.withResolvers<Pick<Outcome, "exitCode" | "stopped">>();
  child.on("error", ({ message }) => {
    output.stderr += message;
    resolve({ exitCode: 127 });
  });
  child.on("close", (code) => resolve({ exitCode: code ?? undefined }));
  const stop = (stopped: string) => {
    killGroup(child.pid);
    child.stdout.destroy();
    child.stderr.destroy();
    resolve({ exitCode: undefined, stopped });
  };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
      if (seconds !== undefined && output[name].length > mostText) stop(`it printed more than 1 MiB to ${name}`);
    });
  }
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const timer = setTimeout(
    () => stop(hasEnded() ? keepsOpen : `it did not end within ${seconds} s`),
    (seconds ?? 0) * 1000,
  );
  if (seconds === undefined) clearTimeout(timer);
  // A plugin may end before it reads its configuration.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const end = await promise;
  clearTimeout(timer);
  process.stdout.write(`${JSON.stringify({ id, ...end, ...output })}\n`);
}

/** Ends a command with the processes that it started, unless they have left its group. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}
