/** The index of an interface in a network namespace, 0 if it has none of that name; undefined if nobody can look. */
export function linkIndex(netns: string, name: string): number | undefined {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const args = [`--net=${netns}`, "ip", "-json", "link", "show"];
  const { status, stdout } = spawnSync("nsenter", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  if (status !== 0) return undefined;
  const links = JSON.parse(stdout) as { ifname: string; ifindex: number }[];
  return links.find(({ ifname }) => ifname === name)?.ifindex ?? 0;
}
