import { spawn, spawnSync } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { variables } from "./calls.ts";

interface Request {
  readonly id: number;
  readonly argv: readonly [string, ...string[]];
  /** NAME=value. */
  readonly env: readonly string[];
  readonly input: string;
}

// The plugins come first, because later mounts hide parts of the file system. uplink0 is the parent of macvlan
// interfaces, and uplink1 the network behind it.
const make = `
  mkdir -p /run
  mount -t tmpfs lab /run
  mkdir -p /run/netns /run/lab/plugins /run/lab/bin
  mount --bind /run/netns /run/netns
  mount --make-shared /run/netns
  mount --bind "$1" /run/lab/plugins
  for hidden in /opt /var/lib /var/log; do
    if [ -d $hidden ]; then mount -t tmpfs lab $hidden; fi
  done
  mkdir -p /var/lib
  umount -l /sys
  mount -t sysfs lab /sys
  for file in /run/lab/plugins/*; do
    if [ -L "$file" ]; then cp -P "$file" /run/lab/bin/
    elif [ -f "$file" ]; then : >"/run/lab/bin/\${file##*/}"; mount --bind "$file" "/run/lab/bin/\${file##*/}"; fi
  done
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

async function run({ id, argv, env, input }: Request): Promise<void> {
  const pairs = env.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]);
  const [program, ...args] = argv;
  const child = spawn(program, args, { env: Object.fromEntries(pairs), cwd: "/" });
  const written = [child.stdout, child.stderr].map((stream) => text(stream));
  // A plugin may end before it reads its configuration.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const exitCode = await new Promise<number | undefined>((resolve) => {
    child.on("error", () => resolve(127));
    child.on("close", (code) => resolve(code ?? undefined));
  });
  const [stdout, stderr] = await Promise.all(written);
  process.stdout.write(`${JSON.stringify({ id, exitCode, stdout, stderr })}\n`);
}
