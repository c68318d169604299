import type { Machine } from "../model/machine.ts";

/** Something of a container that is still on the host when the container is gone. */
export interface Left {
  readonly kind: keyof typeof kinds;
  readonly name: string;
}

/** How the model names its things, and what an operator calls them, in words before the name. The first one that fits counts. */
const kinds = {
  lease: [/^file .*\/([\d.]+|[\da-f:]*:[\da-f:.]*)$/, "lease"],
  file: [/^file (.*)/, "file"],
  masquerading: [/^rule POSTROUTING -s (\S+) /, "rules that masquerade"],
  "firewall rule": [/^rule CNI-FORWARD -s ([^/ ]+)/, "firewall's rules for"],
  port: [/^rule (?:CNI-HOSTPORT-DNAT|nft hostports) -p (.*) --dport (\d+) /, "rules of the port"],
  interface: [/^device (.*)/, "interface"],
} as const;

/** Returns what a container left on a host of the model. A bridge serves all containers, and stays. */
export function leftOf(machine: Machine, id: string): Left[] {
  // tuning leaves its file if the link or the namespace is gone: it may stay, so nobody is its maker.
  const named = [...machine.files.keys()].filter((path) => path.includes(`/${id}_`)).map((path) => `file ${path}`);
  const made = machine.things().flatMap(({ what, by }) => (by.has(id) ? what : []));
  const left = [...made, ...named].flatMap(leftFrom);
  return [...new Map(left.map((one) => [`${one.kind} ${one.name}`, one])).values()];
}

function leftFrom(what: string): Left[] {
  for (const kind of Object.keys(kinds) as Left["kind"][]) {
    const [, first, second] = kinds[kind][0].exec(what) ?? [];
    if (first !== undefined) return [{ kind, name: second === undefined ? first : `${second}/${first}` }];
  }
  return [];
}

/** Says what is left, in words. */
export function leftWords(left: readonly Left[]): string {
  return left.map(({ kind, name }) => `the ${kinds[kind][1]} ${name}`).join(", ");
}
