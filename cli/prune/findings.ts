import { addressesOfKnown, type Known, namesOf, type Thing } from "./known.ts";
import { type AttachmentState, addressesInNamespaces, type KernelState, unclaimedNamespaces, unread } from "./state.ts";

/** Everything that `prune` knows of a host. */
export interface Survey extends Pick<KernelState, "namespaces" | "unreadable"> {
  readonly states: ReadonlyMap<Known, AttachmentState>;
  readonly things: readonly Thing[];
  /** The runtime's network for each delegate's network that a list, a result or a journal names. */
  readonly networks: ReadonlyMap<string, string>;
  /** Why some links or packet rules of the host cannot be read. */
  readonly problems: readonly string[];
  /** The containers that have a lease of an address at the moment of the call. */
  readonly holdersOf: (address: string) => readonly string[];
}

/** A thing that belongs to no live attachment. It stays if there is a reason. */
export interface Finding {
  readonly thing: Thing;
  /** The attachment that had it, if a result or a journal names it. */
  readonly known: Known | undefined;
  readonly network: string | undefined;
  readonly containerId: string | undefined;
  /** Why it stays. */
  readonly why: string | undefined;
}

/** Finds what belongs to attachments whose namespace is gone. What belongs to a live one is not among it. */
export function findingsIn(survey: Survey): readonly Finding[] {
  const view = viewOf(survey);
  const named = survey.things.filter((thing) => !isByAddress(thing));
  const found = ofGoneContainers(named.flatMap((thing) => find(thing, view) ?? []));
  const inUse = new Set([...view.inNamespaces, ...addressesOfOtherLeases(survey, found)]);
  const rules = survey.things.filter(isByAddress);
  return [...found, ...rules.flatMap((thing) => findByAddress(thing, { found, inUse }, view) ?? [])];
}

/** The addresses that something other than gone attachments has. Their rules must stay. */
export function addressesInUse(survey: Survey, findings: readonly Finding[]): ReadonlySet<string> {
  // guard: the rules of an address that another attachment may have
  const others = [...survey.states].filter(([, { is }]) => is !== "gone").map(([known]) => known);
  return new Set([
    ...addressesInNamespaces(survey.namespaces),
    ...addressesOfOtherLeases(survey, findings),
    ...others.flatMap(addressesOfKnown),
  ]);
}

type View = ReturnType<typeof viewOf>;

/** Returns a survey, and what follows from it for each thing. */
function viewOf(survey: Survey) {
  const unclaimed = unclaimedNamespaces(survey.states, survey);
  const named = [...survey.states.keys()].flatMap((known) => namesOf(known).map((name) => ({ name, known })));
  return {
    survey,
    owners: Map.groupBy(named, ({ name }) => name),
    byContainer: Map.groupBy(survey.states.keys(), ({ containerId }) => containerId),
    unclaimed,
    inUnclaimed: addressesInNamespaces(unclaimed),
    inNamespaces: addressesInNamespaces(survey.namespaces),
  };
}

/** Whether a thing is found by its address only. */
export function isByAddress({ name }: Thing): boolean {
  return name.startsWith("address:");
}

function addressesOfOtherLeases({ things }: Survey, findings: readonly Finding[]): readonly string[] {
  const goes = new Set(findings.filter(({ why }) => why === undefined).map(({ thing }) => thing));
  // guard: the rules of an address that another lease has
  return things.filter((thing) => thing.kind === "lease" && !goes.has(thing)).flatMap(({ addresses }) => addresses);
}

function find(thing: Thing, view: View): Finding | undefined {
  // guard: what a live attachment has is no orphan
  return findOwned(thing, view) ?? (view.owners.has(thing.name) ? undefined : findOrphan(thing, view));
}

function findOwned(thing: Thing, { owners, survey: { states } }: View): Finding | undefined {
  const own = (owners.get(thing.name) ?? []).map(({ known }) => known);
  const ofState = (is: AttachmentState["is"]) => own.find((known) => states.get(known)?.is === is);
  // guard: what a live attachment has
  if (ofState("live")) return undefined;
  // guard: what belongs to an attachment that may live
  const known = ofState("unknown") ?? own[0];
  if (!known) return undefined;
  const { network, containerId } = known;
  return { thing, known, network, containerId, why: states.get(known)?.why };
}

// No result and no journal names its attachment. A runtime with another cache may have it, or an ADD that is under way.
function findOrphan(thing: Thing, view: View): Finding | undefined {
  const { containerId, addresses } = thing;
  const siblings = view.byContainer.get(containerId ?? "") ?? [];
  // guard: what a container has that another attachment shows alive
  if (siblings.some((known) => view.survey.states.get(known)?.is === "live")) return undefined;
  // host-local would give out the address of a lease again.
  // guard: a lease of an address that is in any namespace
  const inUse = thing.kind === "lease" ? view.inNamespaces : view.inUnclaimed;
  // guard: a thing whose address is in a namespace
  if (addresses.some((address) => inUse.has(address))) return undefined;
  const network = thing.network === undefined ? undefined : (view.survey.networks.get(thing.network) ?? thing.network);
  return { thing, known: siblings[0], network, containerId, why: doubtAbout(thing, siblings, view) };
}

const untold = "nothing says whether its container is gone";

function doubtAbout(
  { containerId, network, doubt }: Thing,
  siblings: readonly Known[],
  { survey, unclaimed }: View,
): string | undefined {
  // guard: a thing that names no container
  if (!containerId) return "nothing says whose it is";
  const hidden = unread(containerId, survey);
  // guard: a thing of a container of which something cannot be read
  if (hidden !== undefined) return hidden;
  const home = unclaimed.flatMap(({ paths }) => paths).find((path) => path.split("/").includes(containerId));
  // guard: what belongs to a namespace with the container's id in its path
  if (home !== undefined) return `${home} may be its namespace`;
  // guard: what a runtime with other lists may have
  if (network !== undefined && !survey.networks.has(network))
    return `no list, result or journal names the network ${network}`;
  const why = siblings.map((known) => survey.states.get(known)?.why).find((one) => one !== undefined);
  // guard: what a sibling may have that may live
  if (why !== undefined) return why;
  if (siblings.length > 0) return undefined;
  // guard: a thing without a result, a journal and a network
  return network === undefined ? untold : doubt;
}

// Some rules name no network. Another trace of the same container may say enough.
function ofGoneContainers(findings: readonly Finding[]): readonly Finding[] {
  const gone = new Set(findings.filter(({ why }) => why === undefined).map(({ containerId }) => containerId));
  // guard: a thing of a container that is not known to be gone
  return findings.map((one) => (one.why === untold && gone.has(one.containerId) ? { ...one, why: undefined } : one));
}

// firewall's rules name only an address, and those of two containers with one address are the same.
function findByAddress(
  thing: Thing,
  { found, inUse }: { readonly found: readonly Finding[]; readonly inUse: ReadonlySet<string> },
  view: View,
): Finding | undefined {
  const owned = findOwned(thing, view);
  // guard: a rule of an address that a live attachment has
  const isKept = view.owners.has(thing.name) && (owned === undefined || owned.why !== undefined);
  if (isKept) return owned;
  // guard: a rule of an address that is in a namespace or in a lease
  if (thing.addresses.some((address) => inUse.has(address))) return undefined;
  if (owned) return owned;
  const same = found.find((finding) => finding.thing.addresses.some((address) => thing.addresses.includes(address)));
  if (same) return { ...same, thing };
  return { thing, known: undefined, network: undefined, containerId: undefined, why: "nothing says whose it is" };
}
