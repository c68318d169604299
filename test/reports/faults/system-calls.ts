/** One system call of a wrapper: its name, and the number among the calls of that name, counted from 1. */
export interface SystemCall {
  readonly name: string;
  readonly nth: number;
  /** Whether it changes the host, starts a process or writes an answer. */
  readonly changes: boolean;
  /** What it reads if it reads the mounts of a process or the owner of a directory. */
  readonly reads?: "MOUNTS" | "OWNER";
}

/**
 * What a call reads begins with these bytes instead. An answer of netlink(7) begins with its length and its type. The rest of
 * it stays: a wrapper may wait for the sequence that it asked with.
 */
const damages = {
  /** NLMSG_ERROR: a link's kind is read as the number of an error, which no system call returns. */
  ERRNO: "400000000200",
  /** A type that the kernel has not. */
  TYPE: "400000007777",
  /** A message that is longer than what was read, and one that has no room for its own length. */
  LONG: "ffffffff",
  SHORT: "02000000",
  /** A line of mountinfo(5) with a number that is too large, and a path that is none. */
  MOUNTS: Buffer.from("1 1 0:4 net:[99999999999999999999] /run/netns/\\777 rw - nsfs \n").toString("hex"),
  /** A directory of another user. Whether 24 or 28 bytes are before the owner depends on the processor. */
  OWNER: `${"00".repeat(16)}ed41000001000000ed410000d2040000`,
} as const;
type Damage = keyof typeof damages;

/** The end of a wrapper's process, an error that its system call returns, or other bytes than the kernel's. */
export const faults = [
  ...(["KILL", "ENOSPC", "EIO", "EMFILE", "EINTR", "ENOMEM"] as const),
  ...(Object.keys(damages) as Damage[]),
];
export type Fault = (typeof faults)[number];

/**
 * The errors that each class of system calls can return in practice. close is in no class: Linux closes the descriptor even
 * if it returns an error, and strace returns the error in place of the call. Nor is brk: Linux returns the old end of the heap
 * and no error, and the C library would take the error for an address.
 */
const classes: readonly (readonly [RegExp, readonly Fault[]])[] = [
  [/^(p?write(v|64)?|sendmsg)$/, ["ENOSPC", "EIO", "EINTR"]],
  [/^(p?read(v|64)?|recvmsg|getdents64)$/, ["EIO", "EINTR"]],
  // The slim flavor receives nothing but netlink's answers.
  [/^recvfrom$/, ["EIO", "EINTR", "ERRNO", "TYPE", "LONG", "SHORT"]],
  [/^(open|openat)$/, ["ENOSPC", "EIO", "EMFILE", "EINTR"]],
  [/^(mkdir|link|symlink|rename)(at2?)?$/, ["ENOSPC", "EIO"]],
  [/^(fsync|fdatasync|ftruncate|fallocate)$/, ["ENOSPC", "EIO"]],
  [/^(unlink(at)?|rmdir|fchmod|readlink(at)?|l?stat|fstat|newfstatat|statx|f?access(at2)?|lseek)$/, ["EIO"]],
  [/^(pipe2?|dup[23]?|socket|socketpair|memfd_create|epoll_create1|eventfd2|pidfd_open|fcntl)$/, ["EMFILE"]],
  [/^(p?poll|wait4|waitid|epoll_p?wait|connect|futex|nanosleep|clock_nanosleep)$/, ["EINTR"]],
  [/^(mmap|mremap|mprotect|clone3?|v?fork|execve|memfd_create)$/, ["ENOMEM"]],
];

/** Returns the faults of a system call's classes; none for a call of no class: getpid, for one, cannot fail. */
export function errorsOf({ name, reads }: SystemCall): readonly Fault[] {
  const errors = classes.filter(([names]) => names.test(name)).flatMap(([, errors]) => errors);
  return reads ? [...errors, reads] : errors;
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

// The slim flavor looks at a directory's owner before it follows a link to its log.
const readsOwner = /^fstat\(\d+, \{st_mode=S_IFDIR/;

/** How often a trace looks at the owner of a directory. */
export function ownersIn(trace: string): number {
  return trace.split("\n").filter((line) => readsOwner.test(line)).length;
}

/**
 * The wrapper's system calls in the output of strace. The first one starts the wrapper, and strace does not count it. If
 * the plugin replaces the wrapper's process, the calls after that are the plugin's.
 */
export function callsOf(trace: string): SystemCall[] {
  const [, ...lines] = trace.split("\n").filter((line) => /^\w+\(/.test(line));
  const replaced = lines.findIndex((line) => /^execve\(.* = 0$/.test(line));
  const counts = new Map<string, number>();
  let mounts = "";
  return (replaced < 0 ? lines : lines.slice(0, replaced + 1)).map((line) => {
    const name = line.slice(0, line.indexOf("("));
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    mounts = /^open(?:at)?\(.*\/mountinfo".* = (\d+)$/.exec(line)?.[1] ?? mounts;
    const readsMounts = mounts !== "" && line.startsWith(`read(${mounts},`);
    const reads = readsMounts ? "MOUNTS" : readsOwner.test(line) ? "OWNER" : undefined;
    if (line.startsWith(`close(${mounts})`)) mounts = "";
    const changes = changing.test(name) || /\bO_(CREAT|TMPFILE)\b/.test(line);
    return { name, nth, changes, ...(reads && { reads }) };
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
  return `-e trace=${name} -e inject=${name}:${effectOf(fault)}:when=${nth}`;
}

function effectOf(fault: Fault): string {
  if (isDamage(fault)) return `poke_exit=@arg2=${damages[fault]}`;
  return fault === "KILL" ? "signal=KILL" : `error=${fault}`;
}

function isDamage(fault: Fault): fault is Damage {
  return Object.hasOwn(damages, fault);
}

/** Whether a traced call got the fault. strace does not mark one whose bytes it has changed. */
export function isInjected(trace: string, fault: Fault, { name, nth }: SystemCall): boolean {
  if (isDamage(fault)) return trace.split("\n").filter((line) => line.startsWith(`${name}(`)).length >= nth;
  return fault === "KILL" ? trace.includes("+++ killed by SIGKILL") : trace.includes("(INJECTED)");
}

/** The signal that ended the wrapper, if it was not the fault's: a call must not end without an answer. */
export function deathIn(trace: string): string | undefined {
  return /^\+\+\+ killed by (?!SIGKILL)(\w+)/m.exec(trace)?.[1];
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
