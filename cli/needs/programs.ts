import process from "node:process";
import { hasProgram } from "../host/programs.ts";
import { isRewritten } from "../lists/chain.ts";
import type { ListedPlugin } from "../lists/list.ts";

/** The programs of packet filters that a plugin runs and this host does not have. */
export function programProblems(plugin: ListedPlugin, path = process.env.PATH): readonly string[] {
  if (isRewritten(plugin)) return [];
  const wanted = programsOf(plugin);
  if (wanted.length === 0 || wanted.some((name) => hasProgram(name, path))) return [];
  return [`${plugin.type} needs ${wanted.join(" or ")}, which this host does not have: ADD fails. Install it`];
}

/** The programs of which one is enough. */
function programsOf({ delegate, profile, configuration }: ListedPlugin): readonly string[] {
  const { backend, ipMasq, ipMasqBackend } = configuration;
  if (delegate === "firewall") return backend === "firewalld" ? ["firewalld"] : ["iptables", "firewalld"];
  if (delegate === "portmap") return programsFor(backend);
  return profile?.masquerades && ipMasq === true ? programsFor(ipMasqBackend) : [];
}

// plugins/pkg/ip/ipmasq_linux.go: iptables, unless only nft is there.
function programsFor(backend: unknown): readonly string[] {
  if (backend === "nftables") return ["nft"];
  return backend === undefined || backend === null ? ["iptables", "nft"] : ["iptables"];
}
