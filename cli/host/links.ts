import { execFile } from "node:child_process";
import process from "node:process";
import { promisify } from "node:util";
import { readFile } from "../../shared/host/node/files.ts";
import { parseJsonList } from "../../shared/protocol/json.ts";
import { addressText } from "../lists/addresses.ts";
import { withNamespace } from "../live/namespaces.ts";

/** A link as `ip -json -details address` prints it. */
export interface Link {
  readonly ifindex: number;
  readonly ifname: string;
  /** Other names that the host knows it by. */
  readonly altnames?: readonly string[];
  /** The MAC. */
  readonly address?: string;
  /** For a veth, the index of its other end. */
  readonly link_index?: number;
  /** The namespace of its other end, if that is another one. */
  readonly link_netnsid?: number;
  /** The bridge of a port. */
  readonly master?: string;
  readonly mtu?: number;
  /** Such as `UP`, which says that somebody switched it on. */
  readonly flags?: readonly string[];
  /** Such as `ether`. */
  readonly link_type?: string;
  /** A network card has no kind. */
  readonly linkinfo?: { readonly info_kind?: string; readonly info_slave_kind?: string };
  readonly addr_info?: readonly { readonly local: string; readonly prefixlen: number; readonly scope: string }[];
}

/** Returns the addresses of a link, without those that the kernel makes by itself (link-local): no plugin reports them. */
export function addressesOf({ addr_info = [] }: Link): readonly string[] {
  return addr_info.filter(({ scope }) => scope === "global").map(({ local, prefixlen }) => `${local}/${prefixlen}`);
}

/** Returns the link with a name, which may be one of its other names. */
export function linkNamed(name: unknown, links: readonly Link[]): Link | undefined {
  return links.find(({ ifname, altnames = [] }) => [ifname, ...altnames].some((one) => one === name));
}

/** Whether a link is known to be no bridge. ip prints the type of every link, and no kind of a card. */
export function isNoBridge({ link_type, linkinfo }: Link): boolean {
  return link_type !== undefined && linkinfo?.info_kind !== "bridge";
}

/** The links of a container's namespace and of the host, and what `link_netnsid` is inside for an end on the host. */
export type ContainerLinks = NonNullable<Awaited<ReturnType<typeof readContainerLinks>>>;

/** Reads the links of a namespace and of the host with ip(8); undefined if they cannot be read. */
export async function readContainerLinks(netns: string) {
  // The kernel gives the host an id when ip asks for a link that leads there.
  const read = await withNamespace(netns, undefined, async (path) => ({
    inside: await readLinks(path),
    hostId: await readHostId(path),
  }));
  const host = await readLinks();
  const { inside, hostId } = read ?? {};
  return inside && host && hostId !== undefined ? { inside, host, hostId } : undefined;
}

/** Returns the host's end of a container's veth. An index alone may be one of a third namespace, where a container chooses it. */
export function hostEnd({ link_index, link_netnsid }: Link, { host, hostId }: ContainerLinks): Link | undefined {
  return String(link_netnsid) === hostId ? host.find(({ ifindex }) => ifindex === link_index) : undefined;
}

/** Reads the links of a namespace, or of the host, with ip(8); undefined if they cannot be read. */
export async function readLinks(netns?: string): Promise<readonly Link[] | undefined> {
  const text = await outputIn(netns, ["ip", "-json", "-details", "address", "show"]);
  return text === undefined ? undefined : (parseJsonList(text || "[]") as readonly Link[] | undefined);
}

/** Asks the kernel by which id a namespace knows the one of this process; undefined if lsns(1) is missing, or fails. */
async function readHostId(netns: string): Promise<string | undefined> {
  const show = ["--noheadings", "--raw", "--type", "net", "--output", "NETNSID", "--task", String(process.pid)];
  // lsns looks at every process of the host, and fails if one ends meanwhile.
  for (let tries = 0; tries < 10; tries++) {
    const id = (await outputIn(netns, ["lsns", ...show]))?.trim();
    if (id !== undefined) return id;
  }
  return undefined;
}

// A user can fill a namespace of his own with links.
const limits = { timeout: 10_000, killSignal: "SIGKILL", maxBuffer: 64 * 1024 * 1024 } as const;

async function outputIn(netns: string | undefined, words: readonly string[]): Promise<string | undefined> {
  const [command = "", ...args] = netns === undefined ? words : ["nsenter", `--net=${netns}`, ...words];
  try {
    return (await promisify(execFile)(command, args, limits)).stdout;
  } catch {
    return undefined;
  }
}

/** A default route of the host, for IPv4. */
export type DefaultRoute = ReturnType<typeof defaultRoutes>[number];

/** Reads the default routes of this host. Each number is hexadecimal, and its bytes are in the order of the machine: little-endian. */
export function defaultRoutes(text = readFile("/proc/net/route") ?? "") {
  return text.split("\n").flatMap((line) => {
    const [device = "", destination, gateway = "", , , , , mask] = line.split("\t");
    if (destination !== "00000000" || mask !== "00000000" || gateway === "00000000") return [];
    const bytes = gateway.match(/../g) ?? [];
    return [{ device, gateway: addressText({ bits: 32, value: BigInt(`0x${bytes.reverse().join("")}`) }) }];
  });
}
