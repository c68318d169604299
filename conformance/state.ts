import { setTimeout } from "node:timers/promises";
import { demandEqual } from "./answer.ts";
import { linesOf, ownLinks } from "./kernel.ts";
import { hintsOf } from "./target.ts";
import type { Trial } from "./trial.ts";

/** What an attachment leaves on the host: links, packet rules with its addresses, leases and its own records. */
export async function hostState({ lab, number, target, container }: Trial) {
  // A container's own veth ends with its namespace, whoever deletes it.
  const staying = [`h${container.name}`, ...(hintsOf(target, number).stays ?? [])];
  return {
    links: (await lab.kernel.linkNames()).filter((name) => !staying.includes(name)).sort(),
    rules: await lab.kernel.rulesOfContainers(),
    leases: await lab.kernel.leases(),
  };
}

/** Lists of what is there, and texts of lines. */
type State = Readonly<Record<string, string | readonly string[]>>;

/** Demands that nothing was added and nothing is missing, and names what was or is. */
export function demandUnchanged(found: State, before: State, what: string): void {
  const changes = Object.keys(before).flatMap((part) => {
    const [old, now] = [linesIn(before[part]), linesIn(found[part])];
    return [
      ...now.filter((line) => !old.includes(line)).map((line) => `${part} left: ${line}`),
      ...old.filter((line) => !now.includes(line)).map((line) => `${part} gone: ${line}`),
    ];
  });
  demandEqual(changes, [], what);
  demandEqual(found, before, what);
}

function linesIn(part: State[string] = []): readonly string[] {
  return typeof part === "string" ? linesOf(part) : part;
}

/** The state of the host and of the container. */
export async function stateOf(trial: Trial) {
  const { lab, container } = trial;
  const host = await hostState(trial);
  // The kernel makes this rule with a namespace's first VRF, and keeps it.
  const policy = (await lab.ip(container, "rule")).replace(/^\d+:\tfrom all lookup \[l3mdev-table\]\s*\n/m, "");
  const routes = await lab.kernel.routes(container);
  return { ...host, inside: await lab.kernel.linkNames(container), routes, policy };
}

/** Deletes the namespace, as the end of a container does. The kernel deletes its interfaces a moment later. */
export async function loseNamespace({ lab, container }: Trial): Promise<void> {
  const inside = new Set((await lab.kernel.links(container)).map(({ link_index }) => link_index));
  const links = (await lab.kernel.links()).filter(({ ifname }) => !ownLinks.includes(ifname));
  const peers = links.filter(({ ifindex }) => inside.has(ifindex)).map(({ ifname }) => ifname);
  await lab.deleteNamespace(container);
  for (let tries = 0; tries < 200; tries++) {
    const names = await lab.kernel.linkNames();
    if (!peers.some((peer) => names.includes(peer))) return;
    await setTimeout(50);
  }
}
