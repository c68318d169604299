import type { Container, Lab } from "./lab.ts";

/**
 * Gives everything a plugin could have changed in a lab, as plain data in a fixed order: links, addresses, routes,
 * rules and sysctls of every namespace, packet rules, and the files of plugins and libcni with their modes.
 */
export async function snapshot(lab: Lab, ...containers: readonly Container[]): Promise<Record<string, unknown>> {
  const namespaces: Record<string, unknown> = { host: await namespaceState(lab, undefined) };
  for (const container of containers) {
    namespaces[container.name] = await namespaceState(lab, container);
  }
  return {
    namespaces,
    packetRules: await lab.kernel.packetRules(),
    nft: await nftTables(lab),
    files: await files(lab),
  };
}

/** The tables in order of their names: firewall makes those of IPv4 and IPv6 in random order. */
async function nftTables(lab: Lab): Promise<string[][]> {
  const text = await lab.run("nft", ["--stateless", "list", "ruleset"]);
  return text
    .split(/^(?=table )/m)
    .sort()
    .map((table) => table.trim().split("\n"));
}

async function namespaceState(lab: Lab, container: Container | undefined) {
  const json = async (...args: string[]) => JSON.parse((await lab.ip(container, "-json", ...args)) || "[]");
  return {
    links: steady(await json("-details", "address", "show")),
    routes: steady(await json("-4", "route", "show", "table", "all")),
    // The kernel adds the link-local ones of IPv6 whenever it is done with duplicate address detection.
    routes6: (await json("-6", "route", "show")).filter(({ protocol }: { protocol: string }) => protocol !== "kernel"),
    rules: [await json("-4", "rule"), await json("-6", "rule")],
    sysctls: await sysctls(lab, container),
  };
}

async function sysctls(lab: Lab, container: Container | undefined): Promise<string[]> {
  const inside = container ? ["nsenter", `--net=${container.netns}`] : [];
  const [command = "", ...args] = [...inside, "grep", "--recursive", "--no-messages", "."];
  // The exit code is 2: a few of them cannot be read.
  const { stdout } = await lab.call(command, [...args, "/proc/sys/net/ipv4/conf", "/proc/sys/net/ipv6/conf"]);
  return stdout.split("\n");
}

async function files(lab: Lab): Promise<Record<string, unknown>> {
  const found = await lab
    .run("find", ["/var/lib/cni", "/run/cni", "-type", "f", "-printf", "%m %p\\n"])
    .catch(() => "");
  const entries = found
    .split("\n")
    .filter(Boolean)
    .sort((one, other) => (one.slice(4) < other.slice(4) ? -1 : 1));
  return Object.fromEntries(
    await Promise.all(entries.map(async (entry) => [entry, await content(lab, entry.slice(4))])),
  );
}

/**
 * Of libcni's results the configuration is left out, as it names the plugins and two labs may differ in that, and
 * CNI_ARGS are put in order: go-cni passes them in random order.
 */
async function content(lab: Lab, file: string): Promise<unknown> {
  const text = await lab.readFile(file);
  if (!file.startsWith("/var/lib/cni/results/")) {
    return text;
  }
  const { config, ...cached } = JSON.parse(text);
  return { ...cached, cniArgs: cached.cniArgs?.map((pair: string[]) => pair.join("=")).sort() };
}

/**
 * Leaves out what changes by itself with time: timers, whether an address is still tentative, and the carrier, of which
 * the kernel takes note up to a second later. That a link is up is kept.
 */
function steady(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(steady).filter((item) => !carrierFlags.includes(item));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const entries = Object.entries(value).filter(([key]) => !/_timer$|^tentative$|^operstate$/.test(key));
  return Object.fromEntries(entries.map(([key, inner]) => [key, steady(inner)]));
}

const carrierFlags: readonly unknown[] = ["LOWER_UP", "NO-CARRIER", "linkdown"];
