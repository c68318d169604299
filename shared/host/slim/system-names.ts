/** Returns the name of a system error, the same on x86_64 and aarch64. */
export function errorName(number: number): string {
  return (number < firstErrors.length ? firstErrors[number] : laterErrors[number]) ?? `error ${number}`;
}

/** Returns the name of a signal. */
export function signalName(number: number): string {
  return signals[number] ?? `signal ${number}`;
}

const words = (text: string): readonly string[] => text.split(" ");

const firstErrors = words(
  "0 EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES EFAULT ENOTBLK EBUSY EEXIST EXDEV " +
    "ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE EDOM ERANGE EDEADLK " +
    "ENAMETOOLONG ENOLCK ENOSYS ENOTEMPTY ELOOP",
);

const laterErrors: Readonly<Record<number, string>> = { 80: "ELIBBAD", 90: "EMSGSIZE", 116: "ESTALE", 122: "EDQUOT" };

const signals = words(
  "0 SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM SIGTERM " +
    "SIGSTKFLT SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM SIGPROF SIGWINCH SIGIO " +
    "SIGPWR SIGSYS",
);
