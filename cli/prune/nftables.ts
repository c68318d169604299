import { isJsonObject, type JsonObject, objectOf, objectsOf, parseJsonObject } from "../../shared/protocol/json.ts";
import { masqueradeName, plainAddress, type Thing } from "./known.ts";

/** The words for `nft list` that show the reference plugins' tables. */
export const tablesOfPlugins: readonly (readonly string[])[] = [
  // plugins/pkg/ip/ipmasq_nftables_linux.go
  ["table", "inet", "cni_plugins_masquerade"],
  // plugins/meta/portmap/portmap_nftables.go
  ["table", "ip", "cni_hostport"],
  ["table", "ip6", "cni_hostport"],
  // plugins/pkg/link/spoofcheck.go. The name is a common one: only rules and chains with the plugin's comment count.
  ["table", "bridge", "nat"],
];

interface Rule {
  readonly chain: string;
  readonly handle: number;
  readonly comment: string;
  readonly expr: readonly JsonObject[];
}

/** Finds the rules of containers in the JSON of `nft list`. `hasLink` says whether the host has a link of this name. */
export function thingsInRuleset(
  text: string,
  read: readonly string[],
  hasLink: (name: string) => boolean,
): readonly Thing[] {
  const [, family = "", table = ""] = read;
  const byName = Map.groupBy(rulesIn(text), ({ comment }) => nameIn(comment, family, table));
  return [...byName].flatMap(([name, own]) => {
    // guard: the rules of others, and those of an interface that is there
    if (name === undefined || own.some((rule) => linksOf(rule).some(hasLink))) return [];
    return {
      kind: "rule",
      where: `nft ${family} ${table} ${[...new Set(own.map(({ chain }) => chain))].join(" ")}`,
      name,
      ...ownerIn(name, own),
      addresses: [...new Set(own.flatMap(addressesIn))],
      removal: { by: "nft", read, name },
    };
  });
}

/** Returns the commands for nft that remove a container's rules and chains in one step. Empty if there are none. */
export function removalCommands(text: string, [, family = "", table = ""]: readonly string[], name: string): string {
  // guard: the rules of other containers
  const own = rulesIn(text).filter(({ comment }) => nameIn(comment, family, table) === name);
  const chains = objectsIn(text, "chain").map((chain) => String(chain.name));
  const empty = chains.filter((chain) => isWord(chain) && isSpoofChain(chain, name));
  return [
    ...own.map(({ chain, handle }) => `delete rule ${family} ${table} ${chain} handle ${handle}\n`),
    ...empty.map((chain) => `delete chain ${family} ${table} ${chain}\n`),
  ].join("");
}

const spoofComment = /^macspoofchk-(.+)$/;
const masqueradeComment = /^([0-9a-f]{16}-[0-9a-f]{16}), net: /;

function nameIn(comment: string, family: string, table: string): string | undefined {
  if (family === "bridge") {
    const [, id] = spoofComment.exec(comment) ?? [];
    return id === undefined ? undefined : `macspoofchk:${id}`;
  }
  if (table === "cni_hostport") return comment === "" ? undefined : `hostport:${comment}`;
  return masqueradeComment.exec(comment)?.[1];
}

function isSpoofChain(chain: string, name: string): boolean {
  const [kind, id] = name.split(/:(.*)/);
  // guard: the chains of other containers
  return kind === "macspoofchk" && [`cni-br-iface-${id}`, `cni-br-iface-${id}-mac`].includes(chain);
}

function ownerIn(name: string, [rule]: readonly Rule[]): Pick<Thing, "network" | "containerId"> {
  const [kind, id = ""] = name.split(/:(.*)/);
  if (kind === "hostport") return { containerId: id };
  // <container>-<interface>
  if (kind === "macspoofchk") return { containerId: id.slice(0, Math.max(0, id.lastIndexOf("-"))) };
  // nft cuts long comments.
  const [, network = "", ifName = "", containerId = ""] =
    /, net: (.*), if: (.*), id: (.*)$/.exec(rule?.comment ?? "") ?? [];
  // guard: a comment that does not give the name names no owner
  return masqueradeName(network, ifName, containerId) === name ? { network, containerId } : {};
}

/** Returns the objects of a kind, such as rules and chains, in the JSON of `nft list`. */
export function objectsIn(text: string, kind: string): readonly JsonObject[] {
  const { nftables } = parseJsonObject(text) ?? {};
  return objectsOf(objectsOf(nftables).map((entry) => entry[kind]));
}

function rulesIn(text: string): readonly Rule[] {
  const rules = objectsIn(text, "rule").map(({ chain, handle, comment, expr }) => ({
    chain: String(chain),
    handle: Number(handle),
    comment: typeof comment === "string" ? comment : "",
    expr: objectsOf(expr),
  }));
  // guard: no name of a chain is read by nft as commands
  return rules.filter(({ chain }) => isWord(chain));
}

/** Whether nft reads the name of a chain as a name. The kernel takes every text: a line break and `include "/a/pipe"`, too. */
function isWord(chain: string): boolean {
  return /^[\w./-]+$/.test(chain);
}

// The container's address is the source of a masqueraded packet, or the target of a published port.
function addressesIn({ expr }: Rule): readonly string[] {
  const texts = expr.flatMap(({ match, dnat }) => {
    if (isJsonObject(dnat)) return [dnat.addr];
    const { left, right } = objectOf(match);
    const { field } = objectOf(objectOf(left).payload);
    return field === "saddr" || field === "daddr" ? [right] : [];
  });
  const addresses = texts.filter((one) => typeof one === "string" && /^[\da-f.:]+$/i.test(one)) as string[];
  return addresses.filter((address) => address !== "127.0.0.1").map(plainAddress);
}

function linksOf({ expr }: Rule): readonly string[] {
  const matches = expr.map(({ match }) => objectOf(match));
  const ofLinks = matches.filter(({ left }) => JSON.stringify(left) === '{"meta":{"key":"iifname"}}');
  return ofLinks.map(({ right }) => right).filter((name) => typeof name === "string");
}
