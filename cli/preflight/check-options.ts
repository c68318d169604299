import { readListFile } from "../lists/find-files.ts";
import type { HostPaths } from "../live/host-paths.ts";
import { loadNetworks, type Networks, networkIn } from "../live/networks.ts";
import type { Terminal } from "../terminal.ts";
import { Trouble } from "../trouble.ts";
import type { CheckOptions } from "./check.ts";

/** The options of a command that say how to check. */
interface Options {
  /** In seconds. */
  readonly timeout: string;
  /** A list that takes the place of the current one of its name. */
  readonly with?: string;
}

/** Returns how to check on this host. Throws Trouble if a directory of lists, or the list, cannot be read. */
export function checkOptionsOn(
  paths: HostPaths,
  options: Options,
  terminal: Pick<Terminal, "directory">,
): CheckOptions {
  return { networks: networksFor(paths, options, terminal), cniPath: paths.cniPath, seconds: Number(options.timeout) };
}

function networksFor(paths: HostPaths, options: Options, terminal: Pick<Terminal, "directory">): Networks {
  const current = loadNetworks(paths.configDirectories, terminal);
  if (options.with === undefined) return current;
  const network = networkIn(readListFile(options.with, terminal.directory));
  if (!network) throw new Trouble(`${options.with}: it is not a list with a name; run cni-wrappers lint on it`);
  return { ...current, byName: new Map([...current.byName, [network.name, network]]) };
}
