/** Where ip(8) and nsenter(1) are on every distribution; the runtime's own PATH may be a short one. */
const usualPath = "/usr/sbin:/usr/bin:/sbin:/bin";

/** What `ip -json -batch` (iproute2) answers to these commands in a network namespace; undefined if it fails or is missing. */
export function ip(netns: string, family: 4 | 6, commands: string): string | undefined {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { status, stdout } = spawnSync("nsenter", [`--net=${netns}`, "ip", "-json", `-${family}`, "-batch", "-"], {
    env: { PATH: `${process.env.PATH ?? ""}:${usualPath}` },
    input: commands,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "ignore"],
    maxBuffer: 8 * 1024 * 1024,
  });
  return status === 0 ? stdout : undefined;
}
