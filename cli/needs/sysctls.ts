import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { readFile } from "../../shared/host/node/files.ts";
import { isJsonObject } from "../../shared/protocol/json.ts";
import { runProgram } from "../host/programs.ts";
import { isRewritten } from "../lists/chain.ts";
import { gatewaysIn } from "../lists/gateways.ts";
import type { List, ListedPlugin } from "../lists/list.ts";

// plugins/meta/tuning/tuning.go: without the file, all are allowed.
const allowlist = "/etc/cni/tuning/allowlist.conf";

/** The sysctls that tuning will not set, or cannot. */
export function sysctlProblems(plugin: ListedPlugin): readonly string[] {
  const { sysctl } = plugin.configuration;
  if (plugin.delegate !== "tuning" || !isJsonObject(sysctl) || isRewritten(plugin)) return [];
  const keys = Object.keys(sysctl);
  const allowed = readFile(allowlist);
  const refused = keys.filter((key) => allowed !== undefined && !allows(allowed, key));
  const foreign = keys.filter((key) => !fileOf(key).startsWith("/proc/sys/net/"));
  return [
    ...refused.map((key) => `${allowlist} does not allow the sysctl ${key}: ADD fails. Add a line to it`),
    ...foreign.map((key) => `tuning sets no sysctl outside of net, such as ${key}: ADD fails. Delete it`),
    ...missingIn(keys.filter((key) => !foreign.includes(key))).map(
      (key) => `a container has no sysctl ${key}: ADD fails. Correct the name, or set it on the host itself`,
    ),
  ];
}

function allows(lines: string, key: string): boolean {
  const patterns = lines.split("\n").map((line) => line.trim());
  return patterns.some((pattern) => pattern !== "" && matches(pattern, key));
}

// Go's regular expressions have a few forms that JavaScript's do not.
function matches(pattern: string, key: string): boolean {
  try {
    return new RegExp(pattern).test(key);
  } catch {
    return true;
  }
}

function fileOf(key: string): string {
  return join("/proc/sys", key.replaceAll(".", "/"));
}

/**
 * The sysctls that a new network namespace does not have, in a directory that it has. A kernel module can still bring those of
 * netfilter and bridges, and an interface its own.
 */
function missingIn(keys: readonly string[]): readonly string[] {
  const certain = keys.filter((key) => !/^net[./](?:netfilter|bridge|ipv[46][./](?:conf|neigh)[./])/.test(key));
  if (certain.length === 0) return [];
  const files = certain.map(fileOf);
  const wanted = [...files, ...files.map((file) => dirname(file))];
  const present = new Set(runProgram("unshare", ["--net", "stat", "--format=%n", ...wanted]).stdout.split("\n"));
  return certain.filter((key) => present.has(dirname(fileOf(key))) && !present.has(fileOf(key)));
}

/** Whether bridge cannot give a bridge of a list its IPv6 address. */
export function ipv6Problems(list: List): readonly string[] {
  return gatewaysIn(list).flatMap(({ key: bridge, cidr }) => {
    if (cidr.bits === 32) return [];
    const own = `/proc/sys/net/ipv6/conf/${bridge}/disable_ipv6`;
    // A new device begins as the default says.
    const switched = existsSync(own) ? own : "/proc/sys/net/ipv6/conf/default/disable_ipv6";
    if (readFile(switched)?.trim() === "0") return [];
    return [`IPv6 is off on this host (${switched}), and ${bridge} needs an IPv6 address: ADD fails. Switch it on`];
  });
}
