/** One system call of a wrapper: its name, and the number among the calls of that name, counted from 1. */
export interface SystemCall {
  readonly name: string;
  readonly nth: number;
}

/** The end of a wrapper's process, or an error that its system call returns. */
export const faults = ["KILL", "ENOSPC", "EIO", "EMFILE", "EINTR", "ENOMEM"] as const;
export type Fault = (typeof faults)[number];

/**
 * The calls of the Node flavor that get faults: those that touch files, processes and pipes. Node's engine makes the
 * others, for memory, threads and signals, and no code of the wrapper decides about them.
 */
export const nodeCalls: readonly string[] = [
  ...["access", "close", "connect", "dup2", "dup3", "execve", "faccessat2", "fchmod", "fcntl", "fdatasync", "fstat"],
  ...["fsync", "ftruncate", "getdents64", "ioctl", "kill", "link", "linkat", "lseek", "lstat", "mkdir", "mkdirat"],
  ...["newfstatat", "open", "openat", "pipe2", "poll", "pread64", "pwrite64", "read", "readlink", "readlinkat"],
  ...["readv", "rename", "renameat", "renameat2", "rmdir", "sendmsg", "recvmsg", "socketpair", "shutdown", "stat"],
  ...["statx", "symlink", "symlinkat", "unlink", "unlinkat", "wait4", "waitid", "write", "writev", "clone", "clone3"],
  ...["fork", "vfork"],
];

/**
 * The wrapper's system calls in the output of strace. The first one starts the wrapper, and strace does not count it. If
 * the plugin replaces the wrapper's process, the calls after that are the plugin's.
 */
export function callsOf(trace: string): SystemCall[] {
  const [, ...lines] = trace.split("\n").filter((line) => /^\w+\(/.test(line));
  const replaced = lines.findIndex((line) => /^execve\(.* = 0$/.test(line));
  const counts = new Map<string, number>();
  return (replaced < 0 ? lines : lines.slice(0, replaced + 1)).map((line) => {
    const name = line.slice(0, line.indexOf("("));
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    return { name, nth };
  });
}

/** The flags of strace that cause a fault at a system call. */
export function flagsFor({ name, nth }: SystemCall, fault: Fault): string {
  const effect = fault === "KILL" ? "signal=KILL" : `error=${fault}`;
  return `-e trace=${name} -e inject=${name}:${effect}:when=${nth}`;
}

/** Whether a traced call got the fault. */
export function isInjected(trace: string, fault: Fault): boolean {
  return fault === "KILL" ? trace.includes("+++ killed by SIGKILL") : trace.includes("(INJECTED)");
}
