import type { Host } from "./host/host.ts";
import { CniError } from "./protocol/errors.ts";

/** Where the delegate is: in the directories of CNI_PATH, then beside the executable itself; undefined if nowhere. */
export function findDelegate(host: Host, delegate: string): string | undefined {
  return candidates(host, delegate).find((path) => host.inspect(path) === "executable");
}

/** The error for a delegate that is nowhere: which places were looked at, and what is there but cannot be executed. */
export function missingDelegate(host: Host, delegate: string, key: "delegateNotFound" | "unavailable"): CniError {
  const paths = candidates(host, delegate);
  const useless = paths.filter((path) => host.inspect(path) === "not executable");
  const what = useless.length > 0 ? `${useless.join(", ")} cannot be executed` : `looked for ${paths.join(", ")}`;
  return new CniError(key, delegate, what);
}

function candidates(host: Host, delegate: string): string[] {
  const directories = (host.env.CNI_PATH ?? "").split(":").filter((directory) => directory !== "");
  const own = host.executable.slice(0, host.executable.lastIndexOf("/"));
  return [...new Set([...directories, own])].map((directory) => `${directory.replace(/\/+$/, "")}/${delegate}`);
}
