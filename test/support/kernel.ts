import type { Container, Lab } from "./lab.ts";

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

/** Reads what plugins left in a lab's kernel and file system. Without a container, the namespace is the host's. */
export class Kernel {
  readonly #lab: Lab;

  constructor(lab: Lab) {
    this.#lab = lab;
  }

  /**
   * The links of a namespace with their addresses, in the kernel's order. `tentative` is removed, because it changes
   * after a second or two.
   */
  async links(container?: Container): Promise<Link[]> {
    const text = await this.#lab.ip(container, "-json", "address", "show");
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

  /** The same for every link of a namespace except lo. */
  async allAddresses(container?: Container): Promise<Record<string, string[]>> {
    const links = (await this.links(container)).filter(({ ifname }) => ifname !== "lo");
    return Object.fromEntries(links.map((link) => [link.ifname, addressesOf(link)]));
  }

  /** The routes of a namespace in the format of ip(8), without the kernel's own. */
  async routes(container?: Container): Promise<string[]> {
    const texts = [await this.#lab.ip(container, "-4", "route"), await this.#lab.ip(container, "-6", "route")];
    return texts.flatMap((text) => linesOf(text)).filter((route) => !route.includes("proto kernel"));
  }

  /** The host side of a container's veth. */
  async hostVeth(container: Container, name: string): Promise<string> {
    const { link_index } = await this.link(container, name);
    const peer = (await this.links()).find(({ ifindex }) => ifindex === link_index);
    if (!peer) {
      throw new Error(`${name} of ${container.name} has no peer on the host`);
    }
    return peer.ifname;
  }

  /** Every chain and rule of a plugin, of IPv4 and IPv6, in the format of iptables-save. */
  async packetRules(): Promise<string[]> {
    return packetRulesOf(await this.#lab.run("sh", ["-ec", "iptables-save; ip6tables-save"]));
  }

  /** The leases under host-local's default directory, such as `zone/172.16.5.2`. */
  async leases(): Promise<string[]> {
    const root = "/var/lib/cni/networks";
    const networks = await this.#lab.readdir(root);
    const files = networks.map(async (network) =>
      (await this.#lab.readdir(`${root}/${network}`)).map((file) => `${network}/${file}`),
    );
    return (await Promise.all(files)).flat().filter((file) => !/\/(lock|last_reserved_ip\.\d+)$/.test(file));
  }

  /** The names of the results that libcni keeps, such as `zone-c1-eth0`. */
  cachedResults(): Promise<string[]> {
    return this.#lab.readdir("/var/lib/cni/results");
  }

  /** The wrappers' journals, such as `c1/zone:eth0`, and whatever else is in their directory. */
  async journals(): Promise<string[]> {
    const directory = "/var/lib/cni/wrappers";
    const names = await this.#lab.readdir(directory);
    const inside = async (name: string): Promise<string[]> => {
      const files = await this.#lab.readdir(`${directory}/${name}`).catch(() => undefined);
      return files === undefined || files.length === 0 ? [name] : files.map((file) => `${name}/${file}`);
    };
    return (await Promise.all(names.map(inside))).flat();
  }

  /** libcni's cached result of an attachment. */
  async cachedResult(network: string, id: string): Promise<Result> {
    return JSON.parse(await this.#lab.readFile(`/var/lib/cni/results/${network}-${id}-eth0`)).result;
  }
}

/** The parts of a CNI result that the tests read. */
export interface Result {
  readonly cniVersion: string;
  readonly interfaces?: readonly { readonly name: string; readonly mac?: string; readonly sandbox?: string }[];
  readonly ips?: readonly { readonly address: string; readonly gateway?: string; readonly interface?: number }[];
  readonly routes?: readonly { readonly dst: string; readonly gw?: string }[];
  readonly dns?: object;
}

/** The plugins' chains and rules in the output of iptables-save, without counters. */
export function packetRulesOf(text: string): string[] {
  return linesOf(text)
    .filter((line) => /^(-A|:\S+ -)/.test(line))
    .map((line) => line.replace(/ \[\d+:\d+\]$/, ""));
}

function addressesOf({ addr_info }: Link): string[] {
  return addr_info.filter(({ scope }) => scope === "global").map(({ local, prefixlen }) => `${local}/${prefixlen}`);
}

/** The lines of a text without white space at their ends, and without empty lines. */
export function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
