/** How a host runs ip(8) in a network namespace: the commands are on stdin, the answer is JSON on stdout. */
export interface IpCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Where ip and nsenter are on every distribution, to go behind PATH: the runtime's own may be a short one. */
  readonly path: string;
  /** The most that is read of the answer. In bytes. */
  readonly limit: number;
}

/** The command that answers ip(8)'s commands in a network namespace; ip's own -netns takes no path. */
export function ipCommand(netns: string, family: 4 | 6): IpCommand {
  return {
    program: "nsenter",
    args: [`--net=${netns}`, "ip", "-json", `-${family}`, "-batch", "-"],
    path: "/usr/sbin:/usr/bin:/sbin:/bin",
    limit: 8 * 1024 * 1024,
  };
}
