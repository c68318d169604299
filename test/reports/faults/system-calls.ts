/** One system call of a wrapper: its name, and the number among the calls of that name, counted from 1. */
export interface SystemCall {
  readonly name: string;
  readonly nth: number;
  /** Whether it changes the host, starts a process or writes an answer. */
  readonly changes: boolean;
}

/** The end of a wrapper's process, or an error that its system call returns. */
export const faults = ["KILL", "ENOSPC", "EIO", "EMFILE", "EINTR", "ENOMEM"] as const;
export type Fault = (typeof faults)[number];

/**
 * The errors that each class of system calls can return in practice. close is in no class: Linux closes the descriptor even
 * if it returns an error, and strace returns the error in place of the call.
 */
const classes: readonly (readonly [RegExp, readonly Fault[]])[] = [
  [/^(p?write(v|64)?|sendmsg)$/, ["ENOSPC", "EIO", "EINTR"]],
  [/^(p?read(v|64)?|recvmsg|getdents64)$/, ["EIO", "EINTR"]],
  [/^(open|openat)$/, ["ENOSPC", "EIO", "EMFILE", "EINTR"]],
  [/^(mkdir|link|symlink|rename)(at2?)?$/, ["ENOSPC", "EIO"]],
  [/^(fsync|fdatasync|ftruncate|fallocate)$/, ["ENOSPC", "EIO"]],
  [/^(unlink(at)?|rmdir|fchmod|readlink(at)?|l?stat|fstat|newfstatat|statx|f?access(at2)?|lseek)$/, ["EIO"]],
  [/^(pipe2?|dup[23]?|socket|socketpair|memfd_create|epoll_create1|eventfd2|pidfd_open|fcntl)$/, ["EMFILE"]],
  [/^(p?poll|wait4|waitid|epoll_p?wait|connect|futex|nanosleep|clock_nanosleep)$/, ["EINTR"]],
  [/^(mmap|mremap|brk|mprotect|clone3?|v?fork|execve|memfd_create)$/, ["ENOMEM"]],
];

/** Returns the errors of a system call's classes; none for a call of no class: getpid, for one, cannot fail. */
export function errorsOf({ name }: SystemCall): readonly Fault[] {
  return classes.filter(([names]) => names.test(name)).flatMap(([, errors]) => errors);
}

const changing =
  /^(p?write(v|64)?|sendmsg|(mkdir|link|symlink|rename|unlink)(at2?)?|rmdir|ftruncate|fchmod|clone3?|v?fork|execve|kill)$/;

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
    return { name, nth, changes: changing.test(name) || /\bO_(CREAT|TMPFILE)\b/.test(line) };
  });
}

/**
 * Returns the calls at which a kill makes a difference: right before and right after each call that changes the host, the
 * last one, and each `every`th of the others.
 */
export function killPoints(calls: readonly SystemCall[], every: number): readonly SystemCall[] {
  return calls.filter(
    ({ changes }, index) =>
      changes || calls[index - 1]?.changes === true || index === calls.length - 1 || index % every === 0,
  );
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

/** Whether the wrapper hung after a fault: a trace has no end if strace was killed with it. */
export function isHung(trace: string): boolean {
  return !/^\+\+\+ (exited|killed)/m.test(trace);
}

/**
 * Whether the fault hit the start of a thread, or the pipe or event that wakes one. Only Node has these, and it waits for them
 * without an end.
 */
export function isNodesOwn(trace: string): boolean {
  return /^(clone3\(|read\(\d+, [^,]+, 1\)|write\(\d+, "(\*|\\1(\\0){7})", [18]\)).*\(INJECTED\)$/m.test(trace);
}
