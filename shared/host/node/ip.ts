import { parseJsonList } from "../../protocol/json.ts";
import { ipCommand, longestAnswer } from "../programs.ts";
import { inspectFile } from "./executable-file.ts";

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

/**
 * Returns the index of an interface in a network namespace, 0 if there is none of that name; undefined if it cannot be read.
 * It lists all interfaces, because ip(8) fails the same way for a missing name and a missing namespace, and accepts
 * alternative names.
 */
export function linkIndex(netns: string, name: string): number | undefined {
  const links = parseJsonList(ip(["-json", "link", "show"], "", netns) ?? "");
  const index = links?.find(({ ifname }) => ifname === name)?.ifindex ?? 0;
  return links && Number.isSafeInteger(index) && Number(index) >= 0 ? Number(index) : undefined;
}
