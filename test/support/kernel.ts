import { addressesOf, HostKernel } from "../../conformance/kernel.ts";
import type { Container } from "./lab.ts";

export { type Link, linesOf, packetRulesOf } from "../../conformance/kernel.ts";

/** Reads also what libcni and the wrappers leave. */
export class Kernel extends HostKernel {
  /** The same for every link of a namespace except lo. */
  async allAddresses(container?: Container): Promise<Record<string, string[]>> {
    const links = (await this.links(container)).filter(({ ifname }) => ifname !== "lo");
    return Object.fromEntries(links.map((link) => [link.ifname, addressesOf(link)]));
  }

  /** The host side of a container's veth. */
  async hostVeth(container: Container, name: string): Promise<string> {
    const { link_index } = await this.link(container, name);
    const peer = (await this.links()).find(({ ifindex }) => ifindex === link_index);
    if (!peer) throw new Error(`${name} of ${container.name} has no peer on the host`);
    return peer.ifname;
  }

  /** The names of the results that libcni keeps, such as `zone-c1-eth0`. */
  cachedResults(): Promise<string[]> {
    return this.host.readdir("/var/lib/cni/results");
  }

  /** The wrappers' journals, such as `c1/zone:eth0`, and whatever else is in their directory. */
  async journals(): Promise<string[]> {
    const directory = "/var/lib/cni/wrappers";
    const names = await this.host.readdir(directory);
    const inside = async (name: string): Promise<string[]> => {
      const files = await this.host.readdir(`${directory}/${name}`).catch(() => undefined);
      return files === undefined || files.length === 0 ? [name] : files.map((file) => `${name}/${file}`);
    };
    return (await Promise.all(names.map(inside))).flat();
  }

  /** libcni's cached result of an attachment. */
  async cachedResult(network: string, id: string): Promise<Result> {
    return JSON.parse(await this.host.readFile(`/var/lib/cni/results/${network}-${id}-eth0`)).result;
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
