import type { Machine } from "../model/machine.ts";

/** Something of a container that is still on the host when the container is gone. */
export interface Left {
  readonly kind: "lease" | "masquerading" | "firewall rule" | "port" | "interface" | "file" | "DHCP lease";
  readonly name: string;
}

/** How the model names its things, and what an operator calls them. */
const kinds: readonly (readonly [RegExp, Left["kind"]])[] = [
  [/^file .*\/([\d.]+|[\da-f:]*:[\da-f:.]*)$/, "lease"],
  [/^file (.*)/, "file"],
  [/^rule POSTROUTING -s (\S+) /, "masquerading"],
  [/^rule CNI-FORWARD -s ([^/ ]+)/, "firewall rule"],
  [/^rule (?:CNI-HOSTPORT-DNAT|nft hostports) -p (.*) --dport (\d+) /, "port"],
  [/^device (.*)/, "interface"],
  [/^DHCP lease (.*)/, "DHCP lease"],
];

/** Returns what a container left on a host of the model. A bridge serves all containers, and stays. */
export function leftOf(machine: Machine, id: string): Left[] {
  // tuning leaves its file if the link or the namespace is gone: it may stay, so nobody is its maker.
  const named = [...machine.files.keys()].filter((path) => path.includes(`/${id}_`)).map((path) => `file ${path}`);
  const made = machine.things().flatMap(({ what, by }) => (by.has(id) ? what : []));
  const left = [...made, ...named].flatMap(leftFrom);
  return [...new Map(left.map((one) => [`${one.kind} ${one.name}`, one])).values()];
}

function leftFrom(what: string): Left[] {
  for (const [shape, kind] of kinds) {
    const [, first, second] = shape.exec(what) ?? [];
    if (first !== undefined) return [{ kind, name: second === undefined ? first : `${second}/${first}` }];
  }
  return [];
}

/** Says what is left, in words. */
export function leftWords(left: readonly Left[]): string {
  const words: Readonly<Record<Left["kind"], (name: string) => string>> = {
    lease: (name) => `the lease ${name}`,
    masquerading: (name) => `the rules that masquerade ${name}`,
    "firewall rule": (name) => `the firewall's rules for ${name}`,
    port: (name) => `the rules of the port ${name}`,
    interface: (name) => `the interface ${name}`,
    file: (name) => `the file ${name}`,
    "DHCP lease": (name) => `the DHCP lease ${name}`,
  };
  return left.map(({ kind, name }) => words[kind](name)).join(", ");
}
