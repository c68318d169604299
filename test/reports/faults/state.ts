import type { Container, Lab } from "../../support/lab.ts";
import { snapshot } from "../../support/snapshot.ts";

/** Everything that a fault could leave on a host, one line each. */
export type State = readonly string[];

// libcni, host-local and iptables keep these files, and they belong to no attachment.
const steadyFile = /\/(lock|last_reserved_ip\.\d+|xtables\.lock)\b/;

/** The files outside the folders of plugins, and the processes. The script's own processes are not listed. */
const others = `
find /tmp /dev/shm /var/tmp /var/log /run -mindepth 1 -not -path '/run/lab*' -not -path '/run/netns/*' -printf 'file %p\\n'
find /var/lib/cni -mindepth 1 -not -type f -not -type d -printf 'file %p\\n'
for each in /proc/[0-9]*; do
  read -r parent <"$each/stat" 2>/dev/null || continue
  case $parent in "1 "* | "$$ "*) ;; *") Z "*) ;; *) echo "process \${parent#* }" | cut -d ' ' -f 1-2 ;; esac
done`;

/** Returns the state of a host and of containers. */
export async function stateOf(lab: Lab, ...containers: readonly Container[]): Promise<State> {
  const found = await snapshot(lab, ...containers);
  const { stdout } = await lab.call("sh", ["-c", others]);
  const lines = [...flat(found, ""), ...stdout.split("\n")];
  return lines.filter((line) => line !== "" && !steadyFile.test(line)).sort();
}

function flat(value: unknown, place: string): string[] {
  if (typeof value !== "object" || value === null) return [`${place} ${value}`];
  const entries = Object.entries(value);
  return entries.length === 0 ? [place] : entries.flatMap(([key, part]) => flat(part, `${place}/${keyOf(key, part)}`));
}

// A list's place would change with each entry before it.
function keyOf(key: string, part: unknown): string {
  return /^\d+$/.test(key) ? nameOf(part) : key;
}

function nameOf(part: unknown): string {
  if (typeof part !== "object" || part === null) return "";
  const named = part as Record<string, unknown>;
  return String(named.ifname ?? named.dst ?? named.local ?? named.priority ?? "");
}

/** The lines that only one of two states has: `+` for what was added, `-` for what is missing. */
export function difference(before: State, after: State): string[] {
  const added = without(after, before).map((line) => `+${line}`);
  return [...added, ...without(before, after).map((line) => `-${line}`)];
}

/** Whether a line of a difference is an empty journal: its wrapper was killed before it wrote the first line. */
export function isUnbegunJournal(line: string): boolean {
  return /^\+\/files\/600 \/var\/lib\/cni\/wrappers\/[^/ ]+\/[^/ ]+ ?$/.test(line);
}

/** Removes each line as often as the other list has it. */
function without(lines: State, others: State): string[] {
  const counts = new Map<string, number>();
  for (const line of others) counts.set(line, (counts.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = counts.get(line) ?? 0;
    counts.set(line, count - 1);
    return count <= 0;
  });
}

/** Compares until nothing differs, at most ten seconds: the kernel removes links and ends processes later. */
export async function settledDifference(before: State, now: () => Promise<State>): Promise<string[]> {
  const end = Date.now() + 10_000;
  for (;;) {
    const found = difference(before, await now());
    if (found.length === 0 || Date.now() > end) return found;
  }
}
