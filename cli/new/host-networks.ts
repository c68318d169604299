import { type Link, readLinks } from "../host/links.ts";
import { runProgram } from "../host/programs.ts";

/** The networks of a host, as far as a new list depends on them. */
export type HostNetworks = Readonly<Awaited<ReturnType<typeof readHostNetworks>>>;

/** Reads the networks of this host with ip(8). What cannot be read is missing. */
export async function readHostNetworks() {
  const { passed, stdout } = runProgram("ip", ["-json", "route", "show"]);
  const routes: readonly { dst: string; gateway?: string; dev?: string }[] = passed ? JSON.parse(stdout || "[]") : [];
  const links = (await readLinks()) ?? [];
  const main = routes.find(({ dst }) => dst === "default");
  const carriers = links.filter(canCarry).map((link) => ({ name: link.ifname, addresses: addressesOf(link) }));
  const interfaces = carriers.sort((one, other) => Number(other.name === main?.dev) - Number(one.name === main?.dev));
  return {
    links,
    /** Those that can carry a macvlan, the one with the default route first. Addresses are in CIDR notation. */
    interfaces,
    /** Of the default route, if it leads to the first interface. */
    gateway: main?.dev === interfaces[0]?.name ? main?.gateway : undefined,
    /** Every subnet that the host has an address in, or a route to. */
    subnets: [...links.flatMap(addressesOf), ...routes.map(({ dst }) => dst)],
  };
}

/** A bridge, a port of one, a tap and lo cannot carry one, or should not. */
function canCarry({ ifname, master, linkinfo }: Link): boolean {
  return ifname !== "lo" && master === undefined && !["bridge", "tun"].includes(linkinfo?.info_kind ?? "");
}

function addressesOf({ addr_info = [] }: Link): readonly string[] {
  return addr_info.map(({ local, prefixlen }) => `${local}/${prefixlen}`);
}
