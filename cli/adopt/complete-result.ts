import type { CniResult, Interface } from "../../shared/protocol/result.ts";
import { isContainerInterface } from "../../shared/protocol/result.ts";
import { addressesOf, type ContainerLinks, type Link } from "../host/links.ts";
import type { ListedPlugin } from "../lists/list.ts";
import { familyIn } from "../live/libcni.ts";

/** The host-side devices that a creator reports before its container interface. */
export type HostSide = (plugin: ListedPlugin) => readonly ({ readonly name: string } | { readonly peer: true })[];

/**
 * Returns a result that also has the interfaces and addresses of the list's creators that it lacks. Everything that it has
 * stays as it is. Only an interface that is in the namespace is added. Returns undefined if nothing is missing.
 */
export function completeResult(
  result: CniResult,
  {
    netns,
    creators,
    links,
    hostSide,
  }: {
    readonly netns: string;
    readonly creators: readonly ListedPlugin[];
    readonly links: ContainerLinks;
    readonly hostSide: HostSide;
  },
): CniResult | undefined {
  const completed = creators.reduce((whole, creator) => {
    const link = links.inside.find(({ ifname }) => ifname === creator.ifName);
    return link ? withLink(whole, { netns, link, host: hostInterfaces(hostSide(creator), link, links) }) : whole;
  }, result);
  return completed === result ? undefined : completed;
}

interface Found {
  readonly netns: string;
  readonly link: Link;
  readonly host: readonly Interface[];
}

function withLink(result: CniResult, { netns, link, host }: Found): CniResult {
  const known = result.interfaces ?? [];
  const index = known.findIndex((one) => isContainerInterface(one) && one.name === link.ifname);
  const added = index < 0 ? [...host, { name: link.ifname, mac: link.address ?? "", sandbox: netns }] : [];
  const interfaces = [...known, ...added];
  const own = index < 0 ? interfaces.length - 1 : index;
  const missing = addressesOf(link).filter((address) => !(result.ips ?? []).some((ip) => ip.address === address));
  if (added.length === 0 && missing.length === 0) return result;
  const ips = missing.map((address) => ({ ...familyIn(result.cniVersion, address), address, interface: own }));
  return { ...result, interfaces, ips: [...(result.ips ?? []), ...ips] };
}

function hostInterfaces(devices: ReturnType<HostSide>, link: Link, { host }: ContainerLinks): readonly Interface[] {
  const links = devices.map((device) => {
    return host.find((one) => ("name" in device ? one.ifname === device.name : one.ifindex === link.link_index));
  });
  return links.filter((one) => one !== undefined).map(({ ifname, address = "" }) => ({ name: ifname, mac: address }));
}
