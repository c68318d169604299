import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { packetRulesOf } from "./kernel.ts";
import type { Container, Lab } from "./lab.ts";

/** The commands for each namespace. `ip -batch` prints one line of JSON for each of its commands. */
const ofNamespace = {
  links: "ip -json -details address show",
  ipv4: "printf 'route show table all\\nrule' | ip -json -4 -batch -",
  ipv6: "printf 'route show\\nrule' | ip -json -6 -batch -",
  bridgePorts: "bridge -json vlan show",
  // The exit code is 2: some of them cannot be read.
  sysctls: "grep --recursive --no-messages . /proc/sys/net/ipv4/conf /proc/sys/net/ipv6/conf",
};

/** The commands for the host. */
const ofHost = { packetRules: "iptables-save; ip6tables-save", nft: "nft --stateless list ruleset" };

/** Everything that a plugin can change, as plain data. */
type Snapshot = Record<string, unknown> & { readonly files: Record<string, unknown> };

/**
 * Returns everything that a plugin can change in a lab, in a fixed order: links, addresses, routes, rules and sysctls
 * of every namespace, packet rules, and the files of plugins and libcni with their modes.
 */
export async function snapshot(lab: Lab, ...containers: readonly Container[]): Promise<Snapshot> {
  const texts = await printed(lab, containers);
  const take = <K extends string>(commands: Record<K, string>) =>
    Object.fromEntries(Object.keys(commands).map((name) => [name, texts.shift()?.trim() ?? ""])) as Record<K, string>;
  const host = take(ofHost);
  const names = ["host", ...containers.map(({ name }) => name)];
  return {
    namespaces: Object.fromEntries(names.map((name) => [name, namespaceState(take(ofNamespace))])),
    packetRules: packetRulesOf(host.packetRules),
    nft: nftTables(host.nft),
    files: await files(lab),
  };
}

/** Removes the wrappers' records of attachments. Plain plugins have none. After DEL there must be none. */
export function withoutRecords({ files, ...state }: Snapshot): Snapshot {
  const kept = Object.entries(files).filter(([file]) => !file.includes(" /var/lib/cni/wrappers/"));
  return { ...state, files: Object.fromEntries(kept) };
}

/** The output of each command. One program runs all of them, because starts take most of the time. */
async function printed(lab: Lab, containers: readonly Container[]): Promise<string[]> {
  const each = Object.values(ofNamespace).join("; printf '\\f'; ");
  const inside = containers.map(({ netns }) => `nsenter --net=${netns} sh -c "${each}"`);
  const commands = [...Object.values(ofHost), each, ...inside];
  const { stdout } = await lab.call("sh", ["-c", commands.join("; printf '\\f'; ")]);
  return stdout.split("\f");
}

/** Sorts the tables by name: firewall makes those of IPv4 and IPv6 in random order. */
function nftTables(ruleset: string): string[][] {
  return ruleset
    .split(/^(?=table )/m)
    .sort()
    .map((table) => table.trim().split("\n"));
}

function namespaceState({ links, ipv4, ipv6, bridgePorts, sysctls }: typeof ofNamespace) {
  const [routes, rules] = answers(ipv4);
  const [routes6 = [], rules6] = answers(ipv6);
  return {
    links: steady(JSON.parse(links || "[]")),
    bridgePorts: JSON.parse(bridgePorts || "[]"),
    routes: steady(routes),
    // The kernel adds the link-local addresses of IPv6 after duplicate address detection, at any time.
    routes6: routes6.filter(({ protocol }) => protocol !== "kernel"),
    rules: [rules, rules6],
    // By file: the kernel's order depends on the random names of veths.
    sysctls: Object.fromEntries(sysctls.split("\n").map((line) => line.split(/:(.*)/, 2))),
  };
}

function answers(text: string): Record<string, unknown>[][] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));
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
  if (!file.startsWith("/var/lib/cni/results/")) {
    return text;
  }
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
  if (typeof value !== "object" || value === null) {
    return value;
  }
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
