import { ipCommand, longestAnswer } from "../ip-command.ts";
import { inspectFile } from "./inspect-file.ts";

/** Runs ip(8), as `Host.ip` says. */
export function ip(args: readonly string[], commands: string, netns?: string): string | undefined {
  const command = ipCommand({ env: process.env, inspect: inspectFile }, args, netns);
  if (command === undefined) return undefined;
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { status, stdout } = spawnSync(command.program, command.args, {
    input: commands,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "ignore"],
    maxBuffer: longestAnswer,
  });
  return status === 0 ? stdout : undefined;
}
