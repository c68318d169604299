import { delegateName } from "../call/target.ts";
import type { Host } from "../host/host.ts";
import { CniError } from "../protocol/errors.ts";
import { candidates, directoryOf, nameOf } from "./find-delegate.ts";

/** Returns the error for a missing delegate. It lists the paths that were tried, and why none of them will do. */
export function missingDelegate(host: Host, delegate: string, key: "delegateNotFound" | "unavailable"): CniError {
  return new CniError(key, delegate, whyMissing(host, delegate));
}

function whyMissing(host: Host, delegate: string): string {
  const seen = candidates(host, delegate).map((path) => ({ path, inspected: host.inspect(path) }));
  // The name of a wrapper, as in "delegate": "bridge-wrapper".
  const isWrappers = delegateName(delegate) !== delegate;
  if (
    isWrappers &&
    (delegate === nameOf(host.calledAs) || seen.some(({ inspected }) => inspected === "the wrapper itself"))
  ) {
    const plugin = delegateName(delegate) ?? delegateName(host.calledAs);
    const type = plugin === undefined ? "the plugin's own type" : JSON.stringify(plugin);
    return `${delegate} is the wrapper itself, not a plugin: write ${type} as "delegate" under "wrapper"`;
  }
  if (seen.length > 0) return `Looked for ${seen.map(({ path, inspected }) => `${path} (${inspected})`).join(", ")}`;
  const directory = directoryOf(host.calledAs);
  return directory === undefined ? "CNI_PATH has no directory" : `CNI_PATH has no directory after ${directory}`;
}
