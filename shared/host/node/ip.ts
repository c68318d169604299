import { ipCommand } from "../ip-command.ts";

/** What `ip -json -batch` (iproute2) answers to these commands in a network namespace; undefined if it fails or is missing. */
export function ip(netns: string, family: 4 | 6, commands: string): string | undefined {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { program, args, path, limit } = ipCommand(netns, family);
  const { status, stdout } = spawnSync(program, args, {
    env: { ...process.env, PATH: `${process.env.PATH ?? ""}:${path}` },
    input: commands,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "ignore"],
    maxBuffer: limit,
  });
  return status === 0 ? stdout : undefined;
}
