/** What can be left of an attachment. */
export type Kind = "rule" | "link" | "lease" | "backup" | "journal" | "result";

/** The kinds in the order of their removal. The result comes last: a killed run then knows the rest from it. */
export const kinds: readonly Kind[] = ["rule", "link", "lease", "backup", "journal", "result"];

/** Something on the host that belongs to an attachment. */
export interface Thing {
  readonly kind: Kind;
  /** For people: a path, or a chain. */
  readonly where: string;
  /** A name that tells the attachments whose it is. See `namesOf`. */
  readonly name: string;
  /** The delegate's network, if the thing itself tells it. */
  readonly network?: string | undefined;
  /** The container, if the thing itself tells it. */
  readonly containerId?: string | undefined;
  /** The container's addresses in it, as `plainAddress` spells them. */
  readonly addresses: readonly string[];
  /** Why it must stay if no attachment has it. */
  readonly doubt?: string | undefined;
  readonly removal: Removal;
}

/** How to remove a thing, and how to see that it is still the same. */
export type Removal =
  | { readonly by: "unlink"; readonly file: string; readonly text: string; readonly lock?: string }
  | { readonly by: "iptables"; readonly restore: string; readonly table: string; readonly lines: readonly string[] }
  | { readonly by: "nft"; readonly read: readonly string[]; readonly name: string }
  | { readonly by: "ip"; readonly link: string };

/** The name of a lease: host-local finds it by these three. A lease of an old host-local has no interface. */
export function leaseName(network: string, containerId: string, ifName = ""): string {
  return `lease:${network}:${containerId}:${ifName}`;
}
