import { recordDirectory } from "../../shared/record/record.ts";
import type { Container } from "./lists.ts";
import type { Machine } from "./machine.ts";
import { leaseDirectory } from "./plugins.ts";
import { cacheFile } from "./runtime.ts";

/** What an attachment has on the disk of the host: its leases with their interface, libcni's result, and records. */
export function diskTraces({ files }: Machine, container: Container): string[] {
  const { id, list, ifName } = container;
  const [cached, records] = [cacheFile(container), `${recordDirectory}/${list}:${id}:${ifName}:`];
  return [...files]
    .filter(([path, { text }]) => {
      return path === cached || path.startsWith(records) || isLease(container, path, text);
    })
    .map(([path, { text }]) => `${path} ${text}`)
    .sort();
}

/** Whether libcni has a result of an attachment, but an interface has no record. */
export function lacksRecord({ files }: Machine, container: Container): boolean {
  const { id, list, ifName, links } = container;
  const isMissing = (name: string) => !files.has(`${recordDirectory}/${list}:${id}:${ifName}:${name}`);
  return files.has(cacheFile(container)) && links.some(isMissing);
}

/** The addresses of an attachment's leases, by interface. */
export function leasesOf(machine: Machine, container: Container): Record<string, string[]> {
  const leases: Record<string, string[]> = {};
  for (const [path, { text }] of machine.files) {
    const [, name = ""] = text.split("\r\n");
    if (!isLease(container, path, text)) continue;
    leases[name] = [...(leases[name] ?? []), `${path.slice(path.lastIndexOf("/") + 1)}/24`];
  }
  return leases;
}

function isLease({ id, leases }: Container, path: string, text: string): boolean {
  // Most files are others': this is the fastest way to see that.
  if (!text.startsWith(id) || !path.startsWith(leaseDirectory)) return false;
  const networks = Object.entries(leases);
  return networks.some(([name, of]) => path.startsWith(`${leaseDirectory}/${name}/`) && text === `${id}\r\n${of}`);
}

/** The addresses of an attachment's links, by interface. */
export function linksOf({ namespaces }: Machine, { netns, links }: Container): Record<string, readonly string[]> {
  const own = [...(namespaces.get(netns)?.links ?? [])].filter(([name]) => links.includes(name));
  return Object.fromEntries(own.map(([name, { addresses }]) => [name, addresses]));
}

/** Everything of an attachment, as one text. */
export function everythingOf(machine: Machine, container: Container): string {
  const links = [...(machine.namespaces.get(container.netns)?.links ?? [])];
  const own = links.filter(([name]) => container.links.includes(name));
  const rules = own.flatMap(([, { addresses }]) => addresses.filter((address) => machine.rules.has(address)));
  return JSON.stringify([diskTraces(machine, container), own, rules], null, 1);
}

/** Whether ADD failed because another container has the address that this one had and asks for. */
export function isTaken(problem: string, { files }: Machine, { id }: Container): boolean {
  const [, address] = /requested IP address ([\d.]+) is not available/.exec(problem) ?? [];
  const owners = [...files].filter(([path]) => path.startsWith(leaseDirectory) && path.endsWith(`/${address}`));
  return owners.some(([, { text }]) => !text.startsWith(`${id}\r\n`));
}
