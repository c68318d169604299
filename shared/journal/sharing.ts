import { type NamingScope, type Profile, scopeOf } from "../plugin/profile.ts";
import type { CachedResult } from "./cached-result.ts";
import { type Entry, isSameNamespace, isStanding, type Namespace } from "./journal.ts";

/** What is around an entry that is to be undone. */
export interface Around {
  /** The namespace of the call; undefined if there is none. */
  readonly namespace: Namespace | undefined;
  /** The entries of the container's other journals. */
  readonly siblings: readonly Entry[];
  readonly profile: Profile | undefined;
  /** The index of the interface of the entry's name in that namespace, 0 for none; undefined if it cannot be read. */
  link(): number | undefined;
  /** libcni's results for the container's other attachments. */
  results(): readonly CachedResult[];
}

/** What the DEL of an entry may remove. */
export type Removal =
  | { readonly do: "nothing"; readonly why: string }
  /** The rules stay until the last attachment of the container that shares them is undone. */
  | { readonly do: "later" }
  | {
      readonly do: "DEL";
      readonly withNamespace: boolean;
      readonly freesLease: boolean;
      /** The entries whose rules the DEL removes as well. Their ADDs run again. */
      readonly addAgain: readonly Entry[];
    };

/** Decides what the DEL of an entry may remove: nothing that another attachment of the container holds. */
export function removalOf(entry: Entry, around: Around): Removal {
  return entry.role === "creator" ? removalOfCreator(entry, around) : removalOfChained(entry, around);
}

function removalOfCreator(entry: Entry, around: Around): Removal {
  const withNamespace = isInterfaceOurs(entry, around);
  const isShared =
    holders(entry, around).some((other) => hasSameLease(entry, other)) || isLeaseInResults(entry, around);
  if (!withNamespace && isShared) {
    return { do: "nothing", why: "the interface and its leases belong to another attachment of this container" };
  }
  return { do: "DEL", withNamespace, freesLease: !isShared, addAgain: [] };
}

function removalOfChained(entry: Entry, around: Around): Removal {
  const { profile, namespace } = around;
  const withNamespace = isSameNamespace(entry.namespace, namespace) && !isInterfaceOfSibling(entry, around);
  if (profile?.movesRoutes && !withNamespace) return { do: "nothing", why: "all that it left was in the namespace" };
  const shared = holders(entry, around).filter((other) => hasSameName(entry, other, scopeOf(profile)));
  if (shared.length === 0) return { do: "DEL", withNamespace, freesLease: true, addAgain: [] };
  if (!entry.done) return { do: "nothing", why: "its rules may belong to another attachment of this container" };
  if (!profile?.repeatable) return { do: "later" };
  return { do: "DEL", withNamespace, freesLease: true, addAgain: shared };
}

/** The entries of other journals that count for this one: a failed ADD takes nothing from one that passed. */
function holders(entry: Entry, { siblings }: Around): Entry[] {
  return siblings.filter((other) => isStanding(other) && (other.done || !entry.done));
}

/**
 * Whether the interface of an entry's name is its own: the one with its index. The interface of an ADD that did not pass is
 * its own only if there was none before and nobody else has one of that name.
 */
function isInterfaceOurs(entry: Entry, around: Around): boolean {
  if (!isSameNamespace(entry.namespace, around.namespace)) return false;
  const { done, before, left } = entry;
  if (done && done.made === undefined) return !isNameOfOthers(entry, around);
  const link = around.link();
  if (!done) return !!link && before === 0 && (left ?? link) === link && !isNameOfOthers(entry, around);
  if (link === undefined) return !isNameOfOthers(entry, around);
  return link === 0 || link === done.made;
}

/** Whether another attachment of the container has an interface of that name in that namespace. */
function isNameOfOthers(entry: Entry, around: Around): boolean {
  return (
    holders(entry, around).some((other) => hasInterface(other, entry)) ||
    around.results().some(({ interfaces }) => interfaces.some((one) => isOfEntry(one, entry)))
  );
}

function isOfEntry({ name, sandbox }: { name: string; sandbox: string }, { ifName, namespace }: Entry): boolean {
  return name === ifName && sandbox === namespace.path;
}

function hasInterface(other: Entry, { ifName, namespace }: Entry): boolean {
  const names = [other.ifName, ...(other.done?.added ?? []).map(({ name }) => name)];
  return other.role === "creator" && names.includes(ifName) && isSameNamespace(other.namespace, namespace);
}

/** Whether a chained plugin's interface was replaced by one that another attachment made. */
function isInterfaceOfSibling(entry: Entry, around: Around): boolean {
  const others = around.siblings.filter((other) => isStanding(other) && other.done && hasInterface(other, entry));
  if (others.length === 0) return false;
  const link = around.link();
  return others.some(({ done }) => done?.made !== undefined && done.made === link);
}

function hasSameLease(entry: Entry, other: Entry): boolean {
  return other.role === "creator" && other.delegateNetwork === entry.delegateNetwork && other.ifName === entry.ifName;
}

function isLeaseInResults({ delegateNetwork, ifName, done }: Entry, { results }: Around): boolean {
  // The index of an interface says whose it is, and its leases go with it.
  if (done?.made !== undefined) return false;
  return results().some(
    ({ key, interfaces }) => key.network === delegateNetwork && interfaces.some(({ name }) => name === ifName),
  );
}

/** Whether two entries of a plugin have one name for what they leave. Addresses are looked at one by one. */
function hasSameName(entry: Entry, other: Entry, scope: NamingScope | undefined): boolean {
  if (other.type !== entry.type) return false;
  switch (scope) {
    case "container":
      return true;
    case "network":
      return other.delegateNetwork === entry.delegateNetwork;
    case "interface":
      return other.ifName === entry.ifName;
    case "address":
    case undefined:
      return false;
    default:
      return scope satisfies never;
  }
}
