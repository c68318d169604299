import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { readFile } from "../../shared/host/node/files.ts";
import { oneLine, type Terminal, Trouble } from "../terminal.ts";

/** The source of the mounts that the stage makes. */
export const ownMounts = "cni-wrappers-try";

const ownName = "cni-wrappers: ";

// Arguments: pairs of an action and a path, `--`, and the command. Descriptor 3 ends with the process outside, however that ends.
const script = `
set -e
[ $$ = 1 ] || { echo "unshare(1) made no process namespace" >&2; exit 1; }
(cat <&3 >/dev/null; kill -KILL -1) &
while [ "$1" != -- ]; do
  case $1 in
    read-only) mount -n -o remount,bind,ro "$2" 2>/dev/null || : ;;
    release) umount -n -i -c -l "$2" 2>/dev/null || umount -n -l "$2" 2>/dev/null || : ;;
    empty) mount -n -t tmpfs -o mode=755 ${ownMounts} "$2" ;;
    cover)
      layer=$(mktemp -d -p /run)
      mkdir "$layer/up" "$layer/work"
      mount -n -t overlay -o "lowerdir=$2,upperdir=$layer/up,workdir=$layer/work" ${ownMounts} "$2" ;;
  esac
  shift 2
done
shift
mount -n -t sysfs -o ro ${ownMounts} /sys
mount -n --bind /proc/sys /proc/sys
mount -n --bind /proc/sys/net /proc/sys/net
mount -n -o remount,bind,ro /proc/sys
"$@" 3<&-
exit
`;

/**
 * Runs this program once more in namespaces of its own (network, mounts, processes, IPC, host name). There, /run and the
 * directories of `state` are empty, and no other file can be written. `input` is its stdin. Returns its stdout. Everything in
 * there ends with this process.
 */
export async function onStage(input: string, state: readonly string[], terminal: Terminal): Promise<string> {
  const { env, executable } = terminal;
  const program = openSync(executable ?? process.execPath, "r");
  // A path of the executable may be under /run.
  const command = ["/proc/self/fd/4", ...(executable ? [] : [process.argv[1] ?? ""]), "try", "--inside", "-"];
  const namespaces = ["--net", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child", "--mount-proc"];
  const args = [...namespaces, "--", "sh", "-c", script, "sh", ...actionsFor(state).flat(), "--", ...command];
  const { DBUS_SYSTEM_BUS_ADDRESS: _, ...environment } = env;
  const streams = ["pipe", "pipe", "pipe", "pipe", program] as const;
  const child = spawn("unshare", args, { env: environment, stdio: [...streams] }) as ChildProcessWithoutNullStreams;
  closeSync(program);
  const failed = new Promise<number | null>((resolve, reject) => {
    child.on("error", ({ message }) => reject(new Trouble(`unshare(1) does not start: ${message}`)));
    child.on("close", resolve);
  });
  // Without a free file descriptor, Node makes no pipes.
  if (!child.stdin) return failed.then(() => "");
  child.stdin.on("error", () => {}).end(input);
  const [output, errors, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), failed]);
  // guard: a trial that ended early is not called good
  if (exitCode === 0) return output;
  // unshare(1) ends as its child does.
  // guard: a trial that was killed is called so
  if (exitCode === null || exitCode > 128)
    throw new Trouble("it was killed before its end: by a plugin that kills other processes, or for lack of memory");
  const lines = errors.trim().split("\n");
  const own = lines.find((line) => line.startsWith(ownName))?.slice(ownName.length);
  throw new Trouble(oneLine(own ?? (lines[0] || `unshare(1) ended with ${exitCode}`)));
}

type Action = readonly ["read-only" | "release" | "empty" | "cover", string];

function actionsFor(state: readonly string[]): readonly Action[] {
  const runs = ["/run", "/var/run"].filter((path) => existsSync(path) && realpathSync(path) === path);
  const mounts = mountsIn(readFile("/proc/self/mountinfo") ?? "");
  const missing = state.filter((path) => !existsSync(path));
  return [
    // Another container's namespace must not live longer because of this command. A user's mount may be closed to root, or never
    // answer.
    ...mounts.filter(isReleased).map(({ path }): Action => ["release", path]),
    // Before all other mounts: mount(8) keeps notes there.
    ...runs.map((path): Action => ["empty", path]),
    ...mounts.flatMap((mount): Action[] => {
      const { path } = mount;
      const isOther = isReleased(mount) || isOfKernel(path) || /^\/(?:var\/)?run(?:\/|$)/.test(path);
      return isOther ? [] : [["read-only", path]];
    }),
    ...[...new Set(missing.map(existingAbove))].map((path): Action => ["cover", path]),
    ...state.filter((path) => existsSync(path)).map((path): Action => ["empty", path]),
  ];
}

function isReleased({ kind, isUsers }: ReturnType<typeof mountsIn>[number]): boolean {
  return kind === "nsfs" || isUsers;
}

/** Returns the nearest directory above a path that exists. */
export function existingAbove(path: string): string {
  const parent = dirname(path);
  return existsSync(parent) ? realpathSync(parent) : existingAbove(parent);
}

/** Whether the stage has a mount of its own there. */
export function isOfKernel(path: string): boolean {
  return /^\/(?:proc|sys)(?:\/|$)/.test(path);
}

/** The mounts in the format of /proc/self/mountinfo, proc(5). */
export function mountsIn(mountinfo: string) {
  return mountinfo.split("\n").flatMap((line) => {
    const [, place, kind = "", source = ""] = /^\S+ \S+ \S+ \S+ (\S+) .*? - (\S+) (\S+)/.exec(line) ?? [];
    const character = (octal: string) => String.fromCharCode(Number.parseInt(octal, 8));
    const path = place?.replace(/\\(\d{3})/g, (_, octal: string) => character(octal));
    // Of an overlay, the directory with what was changed.
    const [, upper] = /,upperdir=([^,]+)/.exec(line) ?? [];
    // A user can mount a file system that his own process serves (fuse(4)).
    const isUsers = kind.startsWith("fuse") && /\buser_id=[1-9]/.test(line);
    return path === undefined ? [] : [{ path, kind, source, upper, isUsers }];
  });
}
