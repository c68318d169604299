import { goLookup, type JsonObject } from "../../shared/protocol/json.ts";
import { interfaceNameProblem } from "../../shared/protocol/names.ts";
import { delGetsResult } from "../../shared/protocol/result.ts";
import { hasIpam, routesElsewhere } from "../lists/ipam.ts";
import { creatorsOf, freeName, isDisabled, type List, type ListedPlugin, runtimeIfName } from "../lists/list.ts";
import { counted, Trouble } from "../terminal.ts";
import type { OlderAttachment } from "./attached.ts";

/** A plugin that `wrap` changes. */
export interface Wrapped {
  readonly index: number;
  /** Its type in the list, before and after. */
  readonly type: string;
  readonly becomes: string;
  /** New keys of its `wrapper` block. */
  readonly wrapper: { readonly ifName?: string; readonly network?: string };
  /** What it does then, in words that follow its type. */
  readonly does: string;
}

/** What `wrap` does to a list, and what the operator should know. */
export interface Decisions {
  readonly plugins: readonly Wrapped[];
  readonly notes: readonly string[];
}

/** What is known about a list, next to its text. */
export interface Known {
  /** The interface names that the operator wants, by the positions of the creators. */
  readonly wished?: readonly (string | undefined)[] | undefined;
  /** Whether a script attached the running containers, with all leases under the list's own name. */
  readonly fromScript?: boolean | undefined;
  readonly older?: readonly OlderAttachment[];
}

/** Decides how to wrap a list. If no plugin changes, the list needs nothing. */
export function decide(list: List, known: Known = {}): Decisions {
  if (list.isDropIn) return { plugins: [], notes: ["The list is for drop-in: its types are the plugins' own names."] };
  const creators = creatorsOf(list);
  const wished = known.wished ?? namesFrom(known.older, creators.length);
  const names = creators.length > 1 ? chooseNames(creators, list.plugins, wished) : [];
  const named = new Map(creators.map((creator, position) => [creator, names[position]]));
  const networks = chooseNetworks(list, named, known);
  const plugins = needsOf(list).flatMap(({ plugin, why }) => {
    const [ifName, network] = [named.get(plugin), networks.get(plugin)];
    if (plugin.isWrapped && ifName === undefined) return [];
    const { index, type, isWrapped } = plugin;
    const wrapper = { ...(ifName !== undefined && { ifName }), ...(network !== undefined && { network }) };
    const becomes = isWrapped ? type : `${type}-wrapper`;
    return [{ index, type, becomes, wrapper, does: sentence(plugin, wrapper, why) }];
  });
  return { plugins, notes: notesOn(list, known, plugins) };
}

/** Decides to wrap the only interface plugin of a list, which `decide` leaves plain if it works from day to day. */
export function decideAlone(list: List): Decisions {
  const [only, ...others] = creatorsOf(list);
  if (!only || only.isWrapped || others.length > 0) return { plugins: [], notes: [] };
  const { index, type } = only;
  const plugin = { index, type, becomes: `${type}-wrapper`, wrapper: {}, does: sentence(only, {}, undefined) };
  return { plugins: [plugin], notes: ["The command wrap leaves such a list as it is: take it from here."] };
}

function sentence({ role, wrapper: old }: ListedPlugin, wrapper: Wrapped["wrapper"], why: string | undefined): string {
  const given = typeof old.ifName === "string" ? old.ifName : runtimeIfName;
  const leases = wrapper.network === undefined ? "" : `, with the leases of the network ${wrapper.network}`;
  const does = `${role === "creator" ? "makes" : "acts on"} ${wrapper.ifName ?? given}${leases}`;
  return why === undefined ? does : `${does}: ${why}`;
}

/** A plugin that needs its wrapper. */
interface Need {
  readonly plugin: ListedPlugin;
  /** The reason, if it is not that the list has several creators. */
  readonly why?: string;
}

/**
 * Returns the plugins of a list that need their wrappers: all creators if there are several, and what fails without one. A
 * chained plugin between creators is wrapped where it is: as in the plain list, it sees only the interfaces before it.
 */
function needsOf({ plugins, cniVersion }: List): readonly Need[] {
  const creators = creatorsOf({ plugins });
  // CHECK came with the version in which DEL gets the result.
  const hasCheck = delGetsResult(cniVersion);
  const moving = plugins.find(({ profile }) => profile?.movesRoutes);
  return plugins.flatMap((plugin): readonly Need[] => {
    if (plugin.role === "creator")
      return creators.length > 1 ? [{ plugin }] : hasCheck ? aloneNeed(plugin, moving) : [];
    if (plugin.role !== "meta" || creators.length === 0) return [];
    if (hasCheck && plugin.profile?.movesRoutes)
      return [{ plugin, why: "CHECK finds the routes that it moves only through wrappers" }];
    const next = creators.find(({ index }) => index > plugin.index);
    const isBetween = next !== undefined && creators.some(({ index }) => index < plugin.index);
    if (isBetween)
      return [{ plugin, why: `${next.delegate} comes after it, and its CHECK must not see that interface` }];
    const hasBlock = creators.length > 1 && plugin.profile && Object.keys(plugin.wrapper).length > 0;
    return hasBlock ? [{ plugin, why: "only a wrapper reads its block" }] : [];
  });
}

/** Reasons why the CHECK of an only creator fails without a wrapper. */
function aloneNeed(plugin: ListedPlugin, moving: ListedPlugin | undefined): readonly Need[] {
  const { profile, configuration, delegate } = plugin;
  if (moving) return [{ plugin, why: `its CHECK looks for the routes that ${moving.delegate} moves` }];
  if (profile?.checkNeedsIpam && !hasIpam(plugin))
    return [{ plugin, why: `CHECK of the plain ${delegate} fails without ipam` }];
  if (routesElsewhere(plugin).length > 0)
    return [{ plugin, why: `CHECK of the plain ${delegate} looks for routes only in the main table` }];
  const device = profile?.sharedDevice;
  if (!device || hasGatewayAddress(configuration)) return [];
  const why = `the ${device.key}'s MAC changes with its containers, and CHECK of the plain ${delegate} then fails`;
  return [{ plugin, why }];
}

/** Whether bridge gives its device an address, and with it a MAC that stays. With `vlan` another device gets it. */
function hasGatewayAddress(configuration: JsonObject): boolean {
  const isSet = (key: string) => Boolean(goLookup(configuration, key));
  return (isSet("isGateway") || isSet("isDefaultGateway")) && !isSet("vlan");
}

/** Returns the interface names of the running attachments, by position; undefined if they do not agree. */
function namesFrom(older: readonly OlderAttachment[] = [], count: number): readonly string[] | undefined {
  const [first, ...others] = new Set(older.map(({ interfaces }) => interfaces.join(" ")));
  const names = first?.split(" ") ?? [];
  return others.length === 0 && names.length === count ? names : undefined;
}

/** Returns sentences about what `wrap` cannot do, or what it found on the host. */
function notesOn(list: List, known: Known, plugins: readonly Wrapped[]): readonly string[] {
  const creators = creatorsOf(list);
  return [
    ...(plugins.length === 0 ? [nothingToDo(creators)] : []),
    ...unknownNotes(list.plugins, creators),
    ...olderNotes(known, creators),
    ...earlyNames(plugins),
    ...(plugins.some(({ wrapper }) => wrapper.ifName !== undefined) ? networkNotes(list, known, creators) : []),
    ...(plugins.length > 0 && isDisabled(list.value.disableCheck) ? [disabledCheck] : []),
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
    : `Its only interface plugin, ${only.type}, works without a wrapper. With the type ${only.type}-wrapper, ADD also passes after a failed try and after a reboot.`;
}

/** Plugins without a profile that are no interface plugins. Most of them are chained. */
const chained =
  /^(?:loopback|consul-cni|dnsname|isolation|route-override|tc-redirect-tap|istio-cni|linkerd-cni|egress-cni|ovs-mirror-(?:producer|consumer))$/;

function isUnknown({ type, role, delegate, isWrapped, index }: ListedPlugin, plugins: readonly ListedPlugin[]) {
  // Cilium also runs chained.
  const isChained =
    delegate === "cilium-cni"
      ? plugins.slice(0, index).some((one) => one.delegate !== "loopback")
      : chained.test(delegate);
  return type !== "" && !isWrapped && role === undefined && !isChained;
}

/** An unknown plugin matters only if it may be one of several that make interfaces. */
function unknownNotes(plugins: readonly ListedPlugin[], creators: readonly ListedPlugin[]): readonly string[] {
  const types = [...new Set(plugins.filter((one) => isUnknown(one, plugins)).map(({ type }) => type))];
  if (creators.length + types.length < 2) return [];
  return types.map((type) => {
    const block = `"type": "cni-wrappers", "wrapper": { "delegate": "${type}", "role": "creator" }`;
    return `${type} is unknown. If it makes an interface, too, wrap it by hand: ${block}`;
  });
}

function olderNotes({ older = [], wished }: Known, creators: readonly ListedPlugin[]): readonly string[] {
  if (older.length === 0) return [];
  const were = counted(older.length, "running container was", "running containers were");
  const count = `${were} attached without the wrappers`;
  const lists = [...new Set(older.map(({ interfaces }) => interfaces.join(", ")))];
  if (wished || namesFrom(older, creators.length)) return [`${count}, with ${lists.join(" or ")}.`];
  return [`${count}, with ${lists.join(" or ")}, which does not fit the list. Set the names with --names.`];
}

function earlyNames(plugins: readonly Wrapped[]): readonly string[] {
  const names = plugins.map(({ wrapper: { ifName = runtimeIfName } }) => ifName).filter((name) => name < runtimeIfName);
  return names.map((name) => `${name} sorts before ${runtimeIfName}, so Nomad advertises its address.`);
}

function networkNotes({ name }: List, { fromScript, older = [] }: Known, creators: readonly ListedPlugin[]) {
  if (!fromScript && !older.some(({ leased }) => leased.length > 0)) return [];
  return sharesMasquerading(creators)
    ? [
        `No "network" was set: several plugins have ipMasq, and need networks of their own. The wrappers find the leases in ${name} by themselves.`,
      ]
    : [`The running containers keep their leases in the network ${name}.`];
}

/** Returns the creators that keep the list's network, where running containers have leases. A wrapped one has leases of its own. */
function chooseNetworks(
  { name }: List,
  named: ReadonlyMap<ListedPlugin, string | undefined>,
  known: Known,
): ReadonlyMap<ListedPlugin, string> {
  if (name === undefined || sharesMasquerading([...named.keys()])) return new Map();
  const leased = new Set((known.older ?? []).flatMap(({ leased }) => leased));
  return new Map(
    [...named].flatMap(([plugin, ifName]): [ListedPlugin, string][] => {
      const isOlder = ifName !== undefined && (known.fromScript || leased.has(ifName));
      return isOlder && !plugin.isWrapped ? [[plugin, name]] : [];
    }),
  );
}

/** Whether two creators would share a masquerading chain in one network: then DEL of the first one fails. */
function sharesMasquerading(creators: readonly ListedPlugin[]): boolean {
  return creators.filter(({ configuration }) => goLookup(configuration, "ipMasq") === true).length > 1;
}

/**
 * Chooses the interface names of a list's creators. The first one without a name keeps the runtime's, and gets undefined. So does
 * each one that has a name. The others get their wished name, or eth1, eth2 and so on: Nomad advertises none of these before eth0.
 */
function chooseNames(
  creators: readonly ListedPlugin[],
  plugins: readonly ListedPlugin[],
  wished: readonly (string | undefined)[] = [],
): readonly (string | undefined)[] {
  const taken = new Set([...creators.flatMap(givenName), ...plugins.flatMap(otherNames)]);
  const chosen: (string | undefined)[] = [];
  for (const [position, creator] of creators.entries()) {
    const isNamed = givenName(creator).length > 0;
    const isRuntimes = !isNamed && !taken.has(runtimeIfName);
    if (isRuntimes) taken.add(runtimeIfName);
    const wish = wished[position];
    const free = wish === undefined || taken.has(wish) ? freeName(taken) : wish;
    const name = isNamed || isRuntimes ? undefined : free;
    if (name !== undefined) taken.add(name);
    chosen.push(name);
  }
  return chosen;
}

/** Returns the operator's names by the positions of the creators that need one. Throws Trouble if one is not possible. */
export function wishedNames(list: Pick<List, "plugins">, names: readonly string[]): readonly (string | undefined)[] {
  const needed = chooseNames(creatorsOf(list), list.plugins);
  const count = needed.filter((name) => name !== undefined).length;
  if (names.length > count) throw new Trouble(`--names: only ${counted(count, "plugin needs", "plugins need")} a name`);
  for (const [index, name] of names.entries()) checkWishedName(name, list.plugins, names.slice(0, index));
  const rest = [...names];
  return needed.map((name) => (name === undefined ? undefined : rest.shift()));
}

/** Throws Trouble if an operator's name for an interface is not possible. */
export function checkWishedName(name: string, plugins: readonly ListedPlugin[], others: readonly string[]): void {
  const problem = interfaceNameProblem(name);
  if (problem !== undefined) throw new Trouble(`the interface name ${JSON.stringify(name)} ${problem}`);
  const taken = [...plugins.flatMap(givenName), ...plugins.flatMap(otherNames), ...others, runtimeIfName, "lo"];
  if (taken.includes(name)) throw new Trouble(`the interface name ${name} is taken`);
  if (name < runtimeIfName) {
    throw new Trouble(`the interface name ${name} sorts before ${runtimeIfName}, so Nomad would advertise its address`);
  }
}

/** The name in a plugin's block, if it has one. */
function givenName({ wrapper, role }: ListedPlugin): readonly string[] {
  return role === "creator" && typeof wrapper.ifName === "string" ? [wrapper.ifName] : [];
}

/** Names that no interface can have: a plugin's bridge, and the device of a VRF. */
function otherNames({ configuration }: ListedPlugin): readonly string[] {
  return ["bridge", "vrfname"].flatMap((key) => {
    const name = goLookup(configuration, key);
    return typeof name === "string" ? [name] : [];
  });
}
