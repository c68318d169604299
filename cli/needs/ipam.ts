import { existsSync } from "node:fs";
import { ipamOf, leaseDirectoryOf } from "../../shared/journal/host-files.ts";
import { goLookup } from "../../shared/protocol/json.ts";
import { journalProblem } from "../host/journal-place.ts";
import { isRewritten } from "../lists/chain.ts";
import { ipamTypeOf } from "../lists/ipam.ts";
import type { ListedPlugin } from "../lists/list.ts";

/** What the IPAM plugin of a plugin needs and this host does not have. */
export function ipamProblems(plugin: ListedPlugin): readonly string[] {
  if (isRewritten(plugin)) return [];
  const type = ipamTypeOf(plugin.configuration);
  if (type === "dhcp") return dhcpProblem(plugin);
  return type === "host-local" ? [...leaseProblem(plugin), ...resolverProblem(plugin)] : [];
}

// plugins/ipam/dhcp/main.go, defaultSocketPath.
const usualSocket = "/run/cni/dhcp.sock";

function dhcpProblem({ type, configuration }: ListedPlugin): readonly string[] {
  const socket = goLookup(ipamOf(configuration), "daemonSocketPath") || usualSocket;
  if (typeof socket !== "string" || existsSync(socket)) return [];
  return [
    `${type} asks for addresses at ${socket}, which is not there: ADD fails. Start the DHCP daemon (dhcp daemon)`,
  ];
}

/** host-local makes the directories that are missing. The usual one is next to the journals, which are looked at anyway. */
function leaseProblem({ network, configuration }: ListedPlugin): readonly string[] {
  const ipam = ipamOf(configuration);
  const directory = leaseDirectoryOf(ipam, network);
  // A relative one depends on where the runtime was started.
  if (!goLookup(ipam, "dataDir") || !directory.startsWith("/")) return [];
  const problem = journalProblem(directory);
  return problem === undefined ? [] : [`host-local cannot write leases, and ADD fails: ${problem}`];
}

function resolverProblem({ configuration }: ListedPlugin): readonly string[] {
  const file = goLookup(ipamOf(configuration), "resolvConf");
  if (typeof file !== "string" || !file.startsWith("/") || existsSync(file)) return [];
  return [`host-local reads ${file} (resolvConf), which is not there: ADD fails. Write it, or delete the key`];
}
