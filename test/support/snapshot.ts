import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import type { Container, Lab } from "./lab.ts";
import { gocni } from "./runtime.ts";

/** The parts of a route in the format of ip(8). */
interface Route {
  readonly dst: string;
  readonly protocol: string;
}

/** Everything that a plugin can change, as plain data. */
type Snapshot = Record<string, unknown> & { readonly files: Record<string, unknown> };

/**
 * Returns everything that a plugin can change in a lab, in a fixed order: links, addresses, routes, rules and sysctls
 * of every namespace, packet rules, and the files of plugins and libcni with their modes.
 */
export async function snapshot(lab: Lab, ...containers: readonly Container[]): Promise<Snapshot> {
  const [bridgePorts, packetRules, ruleset, found, ...states] = await Promise.all([
    lab.run("bridge", ["-json", "vlan", "show"]),
    lab.kernel.packetRules(),
    lab.run("nft", ["--stateless", "list", "ruleset"]),
    files(lab),
    ...[undefined, ...containers].map((container) => namespaceState(lab, container)),
  ]);
  const names = ["host", ...containers.map(({ name }) => name)];
  return {
    namespaces: Object.fromEntries(names.map((name, index) => [name, states[index]])),
    bridgePorts: JSON.parse(bridgePorts || "[]"),
    packetRules,
    nft: nftTables(ruleset),
    files: found,
  };
}

/** Removes the wrappers' records of attachments. Plain plugins have none. After DEL there must be none. */
export function withoutRecords({ files, ...state }: Snapshot): Snapshot {
  const kept = Object.entries(files).filter(([file]) => !file.includes(" /var/lib/cni/wrappers/"));
  return { ...state, files: Object.fromEntries(kept) };
}

/** Sorts the tables by name: firewall makes those of IPv4 and IPv6 in random order. */
function nftTables(ruleset: string): string[][] {
  return ruleset
    .split(/^(?=table )/m)
    .sort()
    .map((table) => table.trim().split("\n"));
}

async function namespaceState(lab: Lab, container: Container | undefined) {
  const ofNamespace = container ? ["-n", container.name] : [];
  const input = "address show\nroute show table all\nrule\n";
  const [texts, rules6, sysctls] = await Promise.all([
    lab.run("ip", [...ofNamespace, "-json", "-details", "-batch", "-"], { input }),
    lab.run("ip", [...ofNamespace, "-json", "-6", "rule"]),
    lab.run(gocni, ["sysctls"], { input: JSON.stringify({ netns: container?.netns }) }),
  ]);
  // `ip -batch` prints one line of JSON for each of its commands.
  const [links, routes, rules] = texts.split("\n").map((line) => JSON.parse(line));
  return {
    links: steady(links),
    // The kernel adds the link-local addresses of IPv6, and their routes, after duplicate address detection, at any time.
    routes: steady(routes.filter(({ dst, protocol }: Route) => !(dst.includes(":") && protocol === "kernel"))),
    rules: [rules, JSON.parse(rules6)],
    sysctls: JSON.parse(sysctls),
  };
}

/** The files under the directories of plugins and libcni, with their modes. */
async function files(lab: Lab): Promise<Record<string, unknown>> {
  const found = (await Promise.all(["/var/lib/cni", "/run/cni"].map((root) => filesIn(lab, root)))).flat().sort();
  const entries = found.map(async (file) => {
    const { mode } = await stat(lab.path(file));
    return [`${(mode & 0o7777).toString(8)} ${file}`, await content(lab, file)];
  });
  return Object.fromEntries(await Promise.all(entries));
}

async function filesIn(lab: Lab, root: string): Promise<string[]> {
  if (!existsSync(lab.path(root))) return [];
  const entries = await readdir(lab.path(root), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => `${root}${parentPath.slice(lab.path(root).length)}/${name}`);
}

/**
 * Removes the configuration from libcni's results, because it names the plugins. Sorts CNI_ARGS, because go-cni passes
 * them in random order.
 */
async function content(lab: Lab, file: string): Promise<unknown> {
  const text = await lab.readFile(file);
  if (!file.startsWith("/var/lib/cni/results/")) return text;
  const { config, cniArgs, ...cached } = JSON.parse(text);
  return { ...cached, ...(cniArgs && { cniArgs: cniArgs.map((pair: string[]) => pair.join("=")).sort() }) };
}

/**
 * Removes values that change with time: timers, whether an address is tentative, and the carrier, which the kernel
 * reports up to a second late. A link's state "up" is kept.
 */
function steady(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(steady).filter((item) => !carrierFlags.includes(item) && !isLinkLocal(item));
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key, part]) => !isOfTheMoment(key, part));
  return Object.fromEntries(entries.map(([key, inner]) => [key, steady(inner)]));
}

/** An address that the kernel adds some time after the link is up. */
function isLinkLocal(value: unknown): boolean {
  return typeof value === "object" && value !== null && "local" in value && "scope" in value && value.scope === "link";
}

/** A bridge port is "disabled" until the kernel has seen its carrier. */
function isOfTheMoment(key: string, value: unknown): boolean {
  const isPortState = key === "state" && (value === "disabled" || value === "forwarding");
  return isPortState || /_timer$|^tentative$|^operstate$/.test(key);
}

const carrierFlags: readonly unknown[] = ["LOWER_UP", "NO-CARRIER", "linkdown"];
