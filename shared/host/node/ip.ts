import { ipCommand } from "../ip-command.ts";
import { inspectFile } from "./inspect-file.ts";

/**
 * Runs commands with `ip -json -batch` (iproute2) in a network namespace. Returns its output; undefined if it fails or is
 * missing.
 */
export function ip(netns: string, family: 4 | 6, commands: string): string | undefined {
  const command = ipCommand({ env: process.env, inspect: inspectFile }, netns, family);
  if (command === undefined) return undefined;
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { status, stdout } = spawnSync(command.program, command.args, {
    input: commands,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "ignore"],
    maxBuffer: command.limit,
  });
  return status === 0 ? stdout : undefined;
}
