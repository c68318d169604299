import { recordDirectory, resultDirectory } from "../../shared/record/record.ts";
import type { Machine } from "./machine.ts";
import { leaseDirectory } from "./plugins.ts";
import type { Container } from "./runtime.ts";

/** What a container has on the disk of the host: its leases with their interface, libcni's result, and records. */
export function diskTraces({ files }: Machine, { id }: Container): string[] {
  return [...files]
    .filter(([path, { text }]) => {
      if (path.startsWith(`${leaseDirectory}/`)) return text.startsWith(`${id}\r\n`);
      if (path.startsWith(`${resultDirectory}/`)) return path.includes(`-${id}-`);
      return path.startsWith(`${recordDirectory}/`) && path.includes(`:${id}:`);
    })
    .map(([path, { text }]) => `${path} ${text}`)
    .sort();
}

/** The addresses of a container's leases, by interface. */
export function leasesOf(machine: Machine, { id }: Container): Record<string, string[]> {
  const leases: Record<string, string[]> = {};
  for (const [path, { text }] of machine.files) {
    const [owner, name = ""] = text.split("\r\n");
    if (!path.startsWith(`${leaseDirectory}/`) || owner !== id) continue;
    leases[name] = [...(leases[name] ?? []), `${path.slice(path.lastIndexOf("/") + 1)}/24`];
  }
  return leases;
}

/** The addresses of a container's links, by interface. */
export function linksOf({ namespaces }: Machine, { netns }: Container): Record<string, readonly string[]> {
  const links = namespaces.get(netns)?.links ?? new Map();
  return Object.fromEntries([...links].map(([name, { addresses }]) => [name, addresses]));
}

/** Everything of a container, as one text. */
export function everythingOf(machine: Machine, container: Container): string {
  const links = [...(machine.namespaces.get(container.netns)?.links ?? [])];
  return JSON.stringify([diskTraces(machine, container), links], null, 1);
}

/** Whether ADD failed because another container has the address that this one had and asks for. */
export function isTaken(problem: string, { files }: Machine, { id }: Container): boolean {
  const [, address] = /requested IP address ([\d.]+) is not available/.exec(problem) ?? [];
  const owners = [...files].filter(([path]) => path.startsWith(leaseDirectory) && path.endsWith(`/${address}`));
  return owners.some(([, { text }]) => !text.startsWith(`${id}\r\n`));
}
