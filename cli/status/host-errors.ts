import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { attempt } from "../../shared/host/node/files.ts";
import { ipamOf } from "../../shared/journal/host-files.ts";
import { goLookup, isJsonObject } from "../../shared/protocol/json.ts";
import { journalProblem } from "../host/journal-place.ts";
import { isRewritten } from "../lists/chain.ts";
import { ipamTypeOf } from "../lists/ipam.ts";
import type { ListedPlugin } from "../lists/list.ts";
import type { Networks } from "../live/networks.ts";
import { oneLine } from "../terminal.ts";

/** Finds what the lists need and this host does not have, besides plugins and interfaces, a line each. */
export function hostErrors(networks: Networks): readonly string[] {
  return [...networks.values()].flatMap(({ list }) => {
    const problems = new Set(list.plugins.flatMap((plugin) => [...logProblem(plugin), ...dhcpProblem(plugin)]));
    return [...problems].map((problem) => oneLine(`${list.file.path}: ${problem}`));
  });
}

/** A call would say it on stderr only. */
function logProblem({ wrapper: { log } }: ListedPlugin): readonly string[] {
  const file = isJsonObject(log) ? log.file : undefined;
  if (typeof file !== "string" || !file.startsWith("/")) return [];
  const isDirectory = attempt(() => statSync(file).isDirectory());
  // They make the directories that are missing, as those of journals.
  const problem = isDirectory ? "it is a directory" : journalProblem(dirname(file));
  return problem === undefined ? [] : [`the wrappers cannot write the log ${file}: ${problem}`];
}

// plugins/ipam/dhcp/main.go, defaultSocketPath.
const usualSocket = "/run/cni/dhcp.sock";

function dhcpProblem(plugin: ListedPlugin): readonly string[] {
  const { type, configuration } = plugin;
  const socket = goLookup(ipamOf(configuration), "daemonSocketPath") || usualSocket;
  const isAsked = ipamTypeOf(configuration) === "dhcp" && !isRewritten(plugin);
  if (!isAsked || typeof socket !== "string" || existsSync(socket)) return [];
  return [
    `${type} asks for addresses at ${socket}, which is not there: ADD fails. Start the DHCP daemon (dhcp daemon)`,
  ];
}
