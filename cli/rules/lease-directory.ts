import { goLookup, ipamOf } from "../../shared/protocol/json.ts";
import type { PluginRule } from "../lint/rule.ts";
import { ipamTypeOf } from "../lists/ipam.ts";
import { isRewritten } from "../lists/list.ts";

export const leaseDirectory: PluginRule = {
  severity: "warning",
  title: "dataDir is a place where leases get lost.",
  page: `host-local keeps one file for each lease below \`dataDir\`. systemd-tmpfiles deletes old files from \`/tmp\` and
\`/var/tmp\`, and host-local then gives the address of a running container to another one. A relative path depends on the
directory in which the runtime was started. Leave \`dataDir\` out (\`/var/lib/cni/networks\`), or use \`/var/run/cni\`, as Nomad
does.`,
  findInPlugin(plugin) {
    const isLeased = ipamTypeOf(plugin.configuration) === "host-local" && !isRewritten(plugin);
    const message = isLeased ? problemOf(goLookup(ipamOf(plugin.configuration), "dataDir")) : undefined;
    if (message === undefined) return undefined;
    return { at: ["ipam", "dataDir"], message, hint: "Leave dataDir out, or use /var/run/cni" };
  },
};

function problemOf(dataDir: unknown): string | undefined {
  if (typeof dataDir !== "string" || dataDir === "") return undefined;
  if (!dataDir.startsWith("/")) return "the leases are in a directory that depends on where the runtime was started";
  const isTemporary = /^\/(?:var\/)?tmp(?:\/|$)/.test(dataDir);
  return isTemporary ? "systemd-tmpfiles can delete the leases of running containers here" : undefined;
}
