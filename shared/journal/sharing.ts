import { type NamingScope, type Profile, scopeOf } from "../plugin/profile.ts";
import { goLookup, ipamOf } from "../protocol/json.ts";
import type { CachedResult } from "./host-files.ts";
import { type Entry, isSameNamespace, isStanding, type Namespace, namesOf } from "./journal.ts";

/** What the removal of an entry depends on. */
export interface Around {
  /** The namespace of the call; undefined if there is none. */
  readonly namespace: Namespace | undefined;
  readonly bootId: string | undefined;
  /** The entries of the container's other journals, and those of this one that began later and stand. */
  readonly siblings: readonly Entry[];
  /** The attachment's own entries before it that are not undone. */
  readonly earlier: readonly Entry[];
  readonly profile: Profile | undefined;
  /** The index of the interface of the entry's name in that namespace, 0 for none; undefined if it cannot be read. */
  link(): number | undefined;
  /** Whether the interface of the entry's name in that namespace is another container's by now. */
  isTaken(): boolean;
  /** libcni's results for the container's other attachments. */
  results(): readonly CachedResult[];
  /** Whether such a result may have a lease of the entry's interface and network: not if others than its own are leased. */
  mayHaveLease(result: CachedResult): boolean;
  /** Whether a namespace is still there. */
  isThere(namespace: Namespace): boolean;
  /** Whether a program is installed. */
  hasProgram(name: string): boolean;
}

/** What the DEL of an entry may remove. */
export type Removal =
  | ({ readonly do: "nothing"; readonly why: string } & NoDel)
  /** The rules stay until the last attachment of the container that shares them is undone. */
  | ({ readonly do: "later" } & NoDel)
  | {
      readonly do: "DEL";
      readonly withNamespace: boolean;
      readonly freesLease: boolean;
      /** Its masquerading stays until the last attachment of the container that shares the chain is undone. */
      readonly keepsMasquerading: boolean;
      /** Its rules of `macspoofchk` stay: another attachment of the container has them under the same name. */
      readonly keepsSpoofCheck?: boolean;
      /** Something that a sibling shares stays behind, so that the entry stays given up. A later DEL removes it. */
      readonly waits: boolean;
      /** The entries whose rules the DEL removes as well. Their ADDs run again. */
      readonly addAgain: readonly Entry[];
    };

/** No DEL runs, so none gets a namespace or frees a lease. */
interface NoDel {
  readonly withNamespace?: undefined;
  readonly freesLease?: undefined;
}

/** A removal for which a DEL runs. */
export type Del = Removal & { readonly do: "DEL" };

/** Decides what the DEL of an entry may remove: nothing that another attachment of the container holds. */
export function removalOf(entry: Entry, around: Around): Removal {
  const isChained = (other: Entry) => other.type === entry.type && other.role === "meta";
  // For an unknown plugin that was first in its list, another attachment tells.
  return isChained(entry) || (!around.profile && around.siblings.some(isChained))
    ? removalOfChained(entry, around)
    : removalOfCreator(entry, around);
}

function removalOfCreator(entry: Entry, around: Around): Removal {
  const withNamespace = isInterfaceOurs(entry, around);
  const holding = holders(around);
  // guard: a lease that another attachment has
  const sharing = holding.filter((other) => hasSameLease(entry, other));
  const isShared = sharing.length > 0 || isLeaseInResults(entry, around);
  const hasRules = masquerades(entry, around.profile) && entry.bootId === around.bootId;
  // guard: the masquerading of another attachment
  const keepsMasquerading = hasRules && holding.some((other) => sharesMasquerading(entry, other));
  // A sibling's ADD that still runs may not get this entry's lease. If it fails, nobody else would free the lease.
  const mayFail = !entry.failed && sharing.length > 0 && sharing.every(({ done }) => !done);
  // Nobody knows what else an unknown plugin left.
  const isUnknown = !around.profile;
  const leaseWaits = isShared && (isUnknown || mayFail);
  // Its DEL would also remove the interface that a sibling has made under that name.
  const othersWait = isUnknown && !withNamespace && isInterfaceOfOthers(entry, around);
  const rulesWait = keepsMasquerading && (!entry.failed || hasMasqueraded(entry));
  // guard: the interface and the lease of another attachment
  if (!withNamespace && isShared && !(hasRules && (hasMasqueraded(entry) || !keepsMasquerading))) {
    if (leaseWaits) return { do: "later" };
    return { do: "nothing", why: "the interface and its leases belong to another attachment of this container" };
  }
  return {
    do: "DEL",
    withNamespace,
    freesLease: !isShared,
    keepsMasquerading,
    ...(isSpoofCheckOfOthers(entry, around, holding) && { keepsSpoofCheck: true }),
    waits: leaseWaits || rulesWait || othersWait,
    addAgain: [],
  };
}

/** Whether the DEL of an entry's plugin removes masquerading rules. */
export function masquerades({ configuration }: Entry, profile: Profile | undefined): boolean {
  return profile?.masquerades === true && goLookup(configuration, "ipMasq") === true;
}

/** Whether the DEL of an entry's plugin removes rules of `macspoofchk`. */
export function checksSpoofs({ configuration }: Pick<Entry, "configuration">, profile: Profile | undefined): boolean {
  return profile?.checksSpoofs === true && goLookup(configuration, "macspoofchk") === true;
}

/** Whether an ADD with `ipMasq` may have made rules: it passed, or its plugin died after it got an address. */
function hasMasqueraded({ done, failed }: Entry): boolean {
  return done !== undefined || !!failed?.addresses?.length;
}

// A DEL clears the chain of iptables for all, which is named by network and container; the rules of nftables are named by the
// interface, too (pkg/ip/ipmasq_*_linux.go). It looks for both.
function sharesMasquerading({ delegateNetwork, bootId, ifName }: Entry, other: Entry): boolean {
  const isMasqueraded = other.role === "creator" && goLookup(other.configuration, "ipMasq") === true;
  const isNamed = other.ifName === ifName || goLookup(other.configuration, "ipMasqBackend") !== "nftables";
  // guard: the masquerading of another attachment
  return isMasqueraded && isNamed && other.delegateNetwork === delegateNetwork && other.bootId === bootId;
}

// The rules are named by container and interface (uniqueID in plugins/main/bridge/bridge.go), in whatever network.
function isSpoofCheckOfOthers({ ifName, configuration }: Entry, around: Around, holding: readonly Entry[]): boolean {
  const isChecked = (one: Pick<Entry, "configuration">) => goLookup(one.configuration, "macspoofchk") === true;
  // guard: the MAC check of another attachment
  if (holding.some((one) => one.role === "creator" && one.ifName === ifName && isChecked(one))) return true;
  const isNamed = ({ interfaces }: CachedResult) => interfaces.some(({ name }) => name === ifName);
  // guard: the MAC check that a plain attachment may have
  return isChecked({ configuration }) && around.results().some(isNamed);
}

function removalOfChained(entry: Entry, around: Around): Removal {
  const { profile, namespace } = around;
  // guard: an interface in another namespace, or of another attachment
  const withNamespace = isSameNamespace(entry.namespace, namespace) && !isInterfaceOfOthers(entry, around);
  // guard: the routes of another namespace
  if (profile?.movesRoutes && !withNamespace) return { do: "nothing", why: "all that it left was in the namespace" };
  // guard: the rules of another plugin are others
  const alike = holders(around).filter(({ type }) => type === entry.type);
  const isUsual = alike.length > 0 && isUsualBackend(entry, around);
  const scope = isUsual ? profile?.usualBackend?.names : scopeOf(profile);
  const shared = alike
    // guard: the rules of another attachment
    .filter((other) => hasSameName(entry, other, scope))
    // Rules are gone after a boot, and of no use without their namespace. What an unknown plugin leaves may be on the disk.
    .filter(({ bootId, namespace: its }) => profile === undefined || (bootId === entry.bootId && around.isThere(its)));
  const del = { do: "DEL", withNamespace, freesLease: true, keepsMasquerading: false, waits: false } as const;
  if (shared.length === 0) return { ...del, addAgain: [] };
  // guard: rules that cannot be added again
  if (!entry.done || !profile?.repeatable) return { do: "later" };
  // An ADD that still runs may have added its rules already.
  return { ...del, addAgain: shared };
}

/** The entries that hold what they share with another one. What a failed ADD left holds nothing. */
function holders({ siblings, ...around }: Around): Entry[] {
  return siblings.filter((other) => isHolding(other, around));
}

/** Whether an ADD passed, or may still run: not one of an earlier boot, nor in a namespace that is gone. */
function isHolding(entry: Entry, { bootId, isThere }: Pick<Around, "bootId" | "isThere">): boolean {
  // guard: what is given up holds nothing
  if (!isStanding(entry) || entry.done !== undefined) return isStanding(entry);
  // guard: what an ADD may still make
  return !entry.failed && entry.bootId === bootId && isThere(entry.namespace);
}

/**
 * Whether the interface of an entry's name is its own: the one with its index. The interface of an ADD that did not pass is
 * its own only if there was none before, and no other attachment has one of that name.
 */
function isInterfaceOurs(entry: Entry, around: Around): boolean {
  // guard: an interface in another namespace, or of another container
  if (!isSameNamespace(entry.namespace, around.namespace) || around.isTaken()) return false;
  const { done, before, failed } = entry;
  // guard: an interface whose name another attachment has
  if (done && done.made === undefined) return !isNameOfOthers(entry, around);
  const link = around.link();
  if (!done) {
    // An unknown plugin may have made others, too, and its DEL was cut off.
    if (link === 0 && !around.profile) return !isNameOfOthers(entry, around);
    // What it left may have gone since.
    const isAsLeft = link === 0 ? !!failed?.left : link !== undefined && (failed?.left ?? link) === link;
    const isNew = before !== undefined && before !== (failed?.left ?? link);
    // guard: an interface that was there before a failed ADD
    return isAsLeft && (isNew || isLeftByEarlier(entry, around)) && !isNameOfOthers(entry, around, failed?.left);
  }
  // guard: an interface whose name another attachment has
  if (link === undefined) return !isNameOfOthers(entry, around);
  // guard: an interface with another index
  if (link !== done.made) return link === 0;
  // The plugin failed, and its answer and its exit code did not say so.
  // guard: an interface that was there before, which another attachment has
  return link !== before || !isNameOfOthers(entry, around, link);
}

/**
 * Whether the interface that an ADD found is what an earlier try of its plugin left. The first DEL must remove it: flannel's
 * deletes the file that tells the second one what to remove.
 */
function isLeftByEarlier({ type, ifName }: Entry, { earlier, ...around }: Around): boolean {
  const tries = earlier.filter((one) => one.type === type && one.ifName === ifName);
  return tries.some((one) => isInterfaceOurs(one, { ...around, earlier: [] }));
}

/**
 * Whether another attachment of the container has an interface of that name in that namespace. If the index is known, one that made
 * another interface does not. A DEL without an entry has no id.
 */
function isNameOfOthers(entry: Entry, around: Around, left?: number): boolean {
  const isKnown = entry.done && entry.id !== "";
  const mayBe = ({ done, ifName }: Entry) => !left || ifName !== entry.ifName || (done?.made ?? left) === left;
  return (
    // guard: an interface whose name another attachment has
    around.siblings.some(
      (other) => isStanding(other) && (other.done || !isKnown) && hasInterface(other, entry) && mayBe(other),
    ) || around.results().some(({ interfaces }) => interfaces.some((one) => isOfEntry(one, entry)))
  );
}

function isOfEntry({ name, sandbox }: { name: string; sandbox: string }, { ifName, namespace }: Entry): boolean {
  // guard: an interface that a result names
  return name === ifName && sandbox === namespace.path;
}

function hasInterface(other: Entry, { ifName, namespace }: Entry): boolean {
  // Its attachment may use one, now or when its ADD has passed.
  const mayUse = other.done !== undefined || (!other.failed && !other.before);
  const hasName = other.role === "creator" && namesOf(other).includes(ifName) && mayUse;
  // guard: an interface that another attachment made
  return hasName && isSameNamespace(other.namespace, namespace);
}

/** Whether a chained plugin's interface is another container's, or was replaced by one that another attachment made. */
function isInterfaceOfOthers(entry: Entry, around: Around): boolean {
  const others = around.siblings.filter((other) => isStanding(other) && other.done && hasInterface(other, entry));
  // guard: the interface of another container
  if (others.length === 0) return around.isTaken();
  const link = around.link();
  // guard: an interface that another attachment made
  return others.some(({ done }) => done?.made !== undefined && done.made === link);
}

/** Two leases with the same network, interface name and IPAM plugin are one. */
type Leased = Pick<Entry, "delegateNetwork" | "ifName" | "configuration">;

/** Whether another entry holds the lease that an interface has in a network, in this boot. */
export function holdsLease(other: Entry, leased: Leased & Pick<Around, "bootId" | "isThere">): boolean {
  // guard: a lease that another attachment holds
  return hasSameLease(leased, other) && isHolding(other, leased);
}

function hasSameLease(entry: Leased, other: Entry): boolean {
  // guard: a lease in another network is another one
  if (other.role !== "creator" || other.delegateNetwork !== entry.delegateNetwork) return false;
  // The IPAM plugin is not known where only wrapper.jq names it.
  const [one, another] = [entry, other].map(({ configuration }) => goLookup(ipamOf(configuration), "type"));
  // guard: a lease of another interface is another one
  return other.ifName === entry.ifName && (one === undefined || another === undefined || one === another);
}

function isLeaseInResults({ delegateNetwork, ifName, done }: Entry, { results, mayHaveLease }: Around): boolean {
  // The index of an interface says whose it is, and its leases go with it.
  if (done?.made !== undefined) return false;
  const isListed = ({ key, interfaces }: CachedResult) =>
    key.network === delegateNetwork && interfaces.some(({ name }) => name === ifName);
  // guard: a lease that a result shows
  return results().some((one) => isListed(one) && mayHaveLease(one));
}

/** Whether two entries of a plugin have one name for what they leave. Addresses are looked at one by one. */
function hasSameName(entry: Entry, other: Entry, scope: NamingScope | undefined): boolean {
  switch (scope) {
    case "container":
      return true;
    case "network":
      return other.delegateNetwork === entry.delegateNetwork;
    case "interface":
      // What it left is of no use without the interface.
      return other.ifName === entry.ifName && isSameNamespace(other.namespace, entry.namespace);
    case "address":
    case undefined:
      return false;
    default:
      return scope satisfies never;
  }
}

/** Whether the DEL of an entry uses the plugin's usual backend, as its ADD did. Go takes null for a missing text. */
function isUsualBackend({ configuration }: Entry, { profile, hasProgram }: Around): boolean {
  const backend = goLookup(configuration, "backend") ?? undefined;
  const { program } = profile?.usualBackend ?? {};
  // guard: what another backend removes for all attachments
  return program !== undefined && (backend === program || (backend === undefined && hasProgram(program)));
}
