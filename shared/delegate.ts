import type { Host } from "./host/host.ts";
import type { DelegateCall } from "./plan/call.ts";
import { CniError } from "./protocol/errors.ts";
import type { Session } from "./session.ts";

/** Where the delegate is, an executable that is not the wrapper itself; undefined if nowhere. */
export function findDelegate(host: Host, delegate: string): string | undefined {
  return candidates(host, delegate).find((path) => host.inspect(path) === "executable");
}

/** The error for a delegate that is nowhere: which places were looked at, and what is there but cannot be executed. */
export function missingDelegate(host: Host, delegate: string, key: "delegateNotFound" | "unavailable"): CniError {
  const paths = candidates(host, delegate);
  const found = paths.map((path) => `${path} (${host.inspect(path)})`);
  return new CniError(
    key,
    delegate,
    found.length > 0 ? `Looked for ${found.join(", ")}` : "CNI_PATH names no directory",
  );
}

/**
 * The directories of CNI_PATH, then the executable's own. Started by the delegate's very name it stands in the delegate's
 * place: then only the directories behind its own in CNI_PATH, so that wrappers of several versions cannot call each other
 * for ever.
 */
function candidates(host: Host, delegate: string): string[] {
  const listed = (host.env.CNI_PATH ?? "").split(":").filter((directory) => directory !== "");
  const directories = [...new Set(listed.map((directory) => directory.replace(/\/+$/, "")))];
  const [called, name] = pathParts(host.calledAs);
  const [own] = pathParts(host.executable);
  const searched =
    name === delegate ? directories.slice(directories.indexOf(called) + 1) : [...new Set([...directories, own])];
  return searched.map((directory) => `${directory}/${delegate}`);
}

function pathParts(path: string): [string, string] {
  const end = path.lastIndexOf("/");
  return [path.slice(0, Math.max(end, 0)), path.slice(end + 1)];
}

/** Notes for the log which delegate is called, and for which interface. */
export function nameSubject({ fields }: Session, { delegate, environment }: DelegateCall): void {
  fields.delegate = delegate;
  if (environment.CNI_IFNAME !== undefined) fields.ifName = environment.CNI_IFNAME;
}

/** What a delegate gets on stdin; nothing where it gets the runtime's own. */
export function inputOf({ configuration }: DelegateCall): string | undefined {
  try {
    return JSON.stringify(configuration);
  } catch {
    throw new CniError("undecodableInput", "", "it is nested too deeply");
  }
}
