import { type List, type ListedPlugin, runtimeIfName } from "../lists/list.ts";
import type { OlderAttachment } from "./attached.ts";
import type { Known, Wrapped } from "./decisions.ts";
import { sharesMasquerading } from "./networks.ts";

/** Returns the interface names of the running attachments, by position; undefined if they do not agree. */
export function namesFrom(older: readonly OlderAttachment[] = [], count: number): readonly string[] | undefined {
  const [first, ...others] = new Set(older.map(({ interfaces }) => interfaces.join(" ")));
  const names = first?.split(" ") ?? [];
  return others.length === 0 && names.length === count ? names : undefined;
}

/** Returns sentences about what `wrap` cannot do, or what it found on the host. */
export function notesOn(list: List, known: Known, plugins: readonly Wrapped[]): readonly string[] {
  const creators = list.plugins.filter(({ role }) => role === "creator");
  return [
    ...(plugins.length === 0 ? [nothingToDo(creators)] : []),
    ...unknownNotes(list.plugins, creators),
    ...olderNotes(known, creators),
    ...earlyNames(plugins),
    ...networkNotes(list, known, creators, plugins),
    ...(plugins.length > 0 && list.value.disableCheck === true ? [disabledCheck] : []),
  ];
}

const disabledCheck =
  'With "disableCheck": true Nomad checks nothing. The wrapped list does not need it: delete the key.';

function nothingToDo(creators: readonly ListedPlugin[]): string {
  if (creators.length > 1) return "Every interface plugin has its wrapper.";
  const [only] = creators;
  if (!only) return "No plugin of the list is known to make an interface.";
  return only.isWrapped
    ? "Its only interface plugin has its wrapper."
    : `Its only interface plugin, ${only.type}, works without a wrapper.`;
}

/** Plugins without a profile that make no interface of their own. */
const chained = [
  "loopback",
  "consul-cni",
  "dnsname",
  "route-override",
  "tc-redirect-tap",
  "istio-cni",
  "linkerd-cni",
  "cilium-cni",
];

function isUnknown({ type, role, delegate, isWrapped }: ListedPlugin): boolean {
  return type !== "" && !isWrapped && role === undefined && !chained.includes(delegate);
}

/** An unknown plugin matters only if it may be one of several that make interfaces. */
function unknownNotes(plugins: readonly ListedPlugin[], creators: readonly ListedPlugin[]): readonly string[] {
  const types = [...new Set(plugins.filter(isUnknown).map(({ type }) => type))];
  if (creators.length + types.length < 2) return [];
  return types.map((type) => {
    const block = `"type": "cni-wrappers", "wrapper": { "delegate": "${type}", "role": "creator" }`;
    return `${type} is unknown. If it makes an interface, too, wrap it by hand: ${block}`;
  });
}

function olderNotes({ older = [], wished }: Known, creators: readonly ListedPlugin[]): readonly string[] {
  if (older.length === 0) return [];
  const count = `${older.length} running ${older.length === 1 ? "container was" : "containers were"} attached without the wrappers`;
  const lists = [...new Set(older.map(({ interfaces }) => interfaces.join(", ")))];
  if (wished || namesFrom(older, creators.length)) return [`${count}, with ${lists.join(" or ")}.`];
  return [`${count}, with ${lists.join(" or ")}, which does not fit the list. Set the names with --names.`];
}

function earlyNames(plugins: readonly Wrapped[]): readonly string[] {
  const names = plugins.flatMap(({ wrapper: { ifName } }) =>
    ifName !== undefined && ifName < runtimeIfName ? [ifName] : [],
  );
  return names.map((name) => `${name} sorts before ${runtimeIfName}, so Nomad advertises its address.`);
}

function networkNotes(
  { name }: List,
  { fromScript, older = [] }: Known,
  creators: readonly ListedPlugin[],
  plugins: readonly Wrapped[],
): readonly string[] {
  const isOlder = fromScript || older.some(({ leased }) => leased.length > 0);
  if (!isOlder || !plugins.some(({ wrapper }) => wrapper.ifName !== undefined)) return [];
  if (sharesMasquerading(creators)) {
    return [
      `No "network" was set: several plugins have ipMasq, and need networks of their own. The wrappers find the leases in ${name} by themselves.`,
    ];
  }
  return [`The running containers keep their leases in the network ${name}.`];
}
