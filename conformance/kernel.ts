/** A network namespace in the role of a container. */
export interface Container {
  readonly name: string;
  readonly netns: string;
}

/** What reading a host's state needs of it. */
interface Readable {
  run(command: string, args: readonly string[]): Promise<string>;
  ip(container: Container | undefined, ...args: string[]): Promise<string>;
  readdir(directory: string): Promise<string[]>;
  readFile(file: string): Promise<string>;
}

interface Address {
  readonly family: string;
  readonly local: string;
  readonly prefixlen: number;
  readonly scope: string;
}

/** A link in the format of ip(8). */
export interface Link {
  readonly ifname: string;
  readonly address: string;
  readonly master?: string;
  readonly mtu: number;
  readonly ifindex: number;
  readonly link_index?: number;
  readonly addr_info: readonly Address[];
}

/** The links of a private host before the first plugin runs. */
export const ownLinks: readonly string[] = ["lo", "uplink0", "uplink1"];

// Without a program, no plugin has made rules with it. Some kernels have no nf_tables.
const listNftables = "if command -v nft >/dev/null; then nft list ruleset 2>/dev/null || :; fi";
const saveRules = "for save in iptables-save ip6tables-save; do if command -v $save >/dev/null; then $save; fi; done";

// A container's chain has a hash in its name. The ranges are those of the tests' subnets.
const nameOfContainer = /CNI-(DN-)?[0-9a-f]{20}|\b(172|10)\.\d+\.|\bfd00:/;

const ofIptables = /^ip6? (filter|nat|mangle|raw|security)$/;

/** Reads what plugins left in a host's kernel and file system. Without a container, the namespace is the host's. */
export class HostKernel {
  protected readonly host: Readable;

  constructor(host: Readable) {
    this.host = host;
  }

  /**
   * The links of a namespace with their addresses, in the kernel's order. `tentative` is removed, because it changes
   * after a second or two.
   */
  async links(container?: Container): Promise<Link[]> {
    const text = await this.host.ip(container, "-json", "address", "show");
    return JSON.parse(text, (key, value) => (key === "tentative" ? undefined : value));
  }

  async linkNames(container?: Container): Promise<string[]> {
    return (await this.links(container)).map((link) => link.ifname);
  }

  async link(container: Container | undefined, name: string): Promise<Link> {
    const found = (await this.links(container)).find((link) => link.ifname === name);
    if (!found) {
      throw new Error(`no link ${name} in ${container?.name ?? "the host"}`);
    }
    return found;
  }

  /** The addresses of a link, such as `172.16.5.2/24`, without the kernel's own. */
  async addresses(container: Container | undefined, name: string): Promise<string[]> {
    return addressesOf(await this.link(container, name));
  }

  /** The routes of a namespace in the format of ip(8), without the kernel's own. */
  async routes(container?: Container): Promise<string[]> {
    const texts = [await this.host.ip(container, "-4", "route"), await this.host.ip(container, "-6", "route")];
    return texts.flatMap((text) => linesOf(text)).filter((route) => !route.includes("proto kernel"));
  }

  /** Every chain and rule of a plugin, of IPv4 and IPv6, in the format of iptables-save. */
  async packetRules(): Promise<string[]> {
    return packetRulesOf(await this.host.run("sh", ["-ec", saveRules]));
  }

  /** Rules with a container's address or a container's chain: firewall and portmap keep some that belong to none. */
  async rulesOfContainers(): Promise<string[]> {
    const nftables = nftablesRulesOf(await this.host.run("sh", ["-ec", listNftables]));
    return [...(await this.packetRules()), ...nftables].filter(isOfContainer);
  }

  /** The leases under host-local's default directory, such as `zone/172.16.5.2`. */
  async leases(): Promise<string[]> {
    const root = "/var/lib/cni/networks";
    const networks = await this.host.readdir(root);
    const files = networks.map(async (network) =>
      (await this.host.readdir(`${root}/${network}`)).map((file) => `${network}/${file}`),
    );
    return (await Promise.all(files)).flat().filter((file) => !/\/(lock|last_reserved_ip\.\d+)$/.test(file));
  }
}

/** Says whether a rule has a container's address, or is in a container's chain. */
export function isOfContainer(rule: string): boolean {
  return nameOfContainer.test(rule);
}

/** The plugins' chains and rules in the output of iptables-save, without counters. */
export function packetRulesOf(text: string): string[] {
  return linesOf(text)
    .filter((line) => /^(-A|:\S+ -)/.test(line))
    .map((line) => line.replace(/ \[\d+:\d+\]$/, ""));
}

/** The lines of nft(8) with their tables, without the tables that iptables keeps there. */
function nftablesRulesOf(text: string): string[] {
  let table = "";
  return linesOf(text).flatMap((line) => {
    table = /^table (.*) \{$/.exec(line)?.[1] ?? table;
    return ofIptables.test(table) ? [] : [`table ${table}: ${line}`];
  });
}

/** The addresses of a link that are not the kernel's own. */
export function addressesOf({ addr_info }: Link): string[] {
  return addr_info.filter(({ scope }) => scope === "global").map(({ local, prefixlen }) => `${local}/${prefixlen}`);
}

/** The lines of a text without white space at their ends, and without empty lines. */
export function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
