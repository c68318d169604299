import { objectsOf } from "../../shared/protocol/json.ts";
import { readLinks } from "../host/links.ts";
import { cidrOf, contains } from "../lists/addresses.ts";
import { readListFile } from "../lists/find-files.ts";
import { rangeSetsOf } from "../lists/ipam.ts";
import { creatorsOf, hasKnownName, isDisabled, isRewritten, type List } from "../lists/list.ts";
import { parseListFile } from "../lists/list-file.ts";
import { missingMaster } from "../rules/missing-master.ts";
import { missingWrapperCure } from "../rules/missing-plugin.ts";
import { unwrappedCreator } from "../rules/unwrapped-creator.ts";
import { Trouble } from "../terminal.ts";
import { addressesAt, attachmentOf, type CachedAttachment } from "./cached-results.ts";
import type { HostOptions, HostPaths } from "./host-paths.ts";
import { pathStateAt } from "./namespaces.ts";
import { demandNetworkIn, type Lists, type Network, networkIn, networksIn, readLists } from "./networks.ts";
import { runList } from "./run-plugin.ts";

/** What the next restart of the runtime would do to an attachment. */
export type Verdict =
  /** Every plugin's CHECK passes. `outside` are addresses that make the next ADD fail, `dropped` plugins whose DEL never runs. */
  | { readonly is: "passes"; readonly outside?: readonly string[]; readonly dropped?: readonly string[] }
  /** CHECK fails: Nomad destroys the container's network. `plugin` is missing if no plugin was asked. */
  | {
      readonly is: "fails";
      readonly error: string;
      readonly plugin?: string;
      readonly position?: number;
      /** What to do about it, where the plugin's words do not say it. */
      readonly cure?: string;
    }
  /** The runtime asks no plugin. */
  | { readonly is: "unchecked"; readonly why: string }
  /** The container's namespace is gone, so nothing is checked. */
  | { readonly is: "gone" };

/** How to check attachments on this host. */
export interface CheckOptions extends Lists {
  /** The network whose list another one replaces. */
  readonly with: Network | undefined;
  readonly cniPath: readonly string[];
  /** How long a plugin may take. */
  readonly seconds: number;
  /** Says why an attachment is not gone although its path leads to no namespace. */
  readonly homeOf?: (attachment: CachedAttachment) => Promise<string | undefined>;
}

// Nomad makes the list of `mode = "bridge"` itself (client/allocrunner/networking_bridge_linux.go).
const nomadsOwn = "nomad";

/**
 * Returns the network of an attachment; undefined if no list defines it. Nomad's own list is in no file: the one of ADD counts,
 * as Nomad makes it again from the same configuration.
 */
export function networkOf(
  { network, list }: CachedAttachment,
  { networks }: Pick<CheckOptions, "networks">,
): Network | undefined {
  const own = network === nomadsOwn && list ? networkIn(parseListFile("", JSON.stringify(list))) : undefined;
  return networks.get(network) ?? own;
}

/** Whether the runtime's restart, the next ADD and the next DEL are without a fault. */
export function isGood(verdict: Verdict): boolean {
  // guard: an attachment that the next restart, ADD or DEL fails is not called good
  return verdict.is !== "fails" && !("outside" in verdict) && !("dropped" in verdict);
}

/**
 * Runs the CHECK of an attachment's current list with the real plugins, in order, as libcni does. Throws Trouble if nobody can tell
 * whether its namespace is there.
 */
export async function checkOnHost(attachment: CachedAttachment, options: CheckOptions): Promise<Verdict> {
  const network = networkOf(attachment, options);
  const state = pathStateAt(attachment.netns);
  // guard: a namespace that nobody can look at is not called gone
  if (state === "unreadable") throw new Trouble(`${attachment.netns}: it cannot be looked at; run the command as root`);
  if (state === "gone") {
    const home = await options.homeOf?.(attachment);
    // guard: a container that is gone is not called failing, and one that lives elsewhere is not called gone
    return home === undefined ? { is: "gone" } : { is: "fails", error: `${attachment.netns} is no namespace: ${home}` };
  }
  // guard: no attachment passes that no list defines
  if (!network) return { is: "fails", error: missingList(attachment.network, options) };
  const unasked = withoutPlugins(network.list);
  if (unasked) return unasked;
  const asked = { list: network.list, attachment: attachmentOf(attachment, options.cniPath.join(":")) };
  const outcome = await runList({ verb: "CHECK", ...asked, result: attachment.result }, options.seconds);
  // guard: no attachment passes whose CHECK fails
  if (!outcome.passed) {
    const { plugin, position, error } = outcome;
    const cure = (await missingWrapperCure(plugin, error)) ?? (await cureOf(network.list, position, attachment));
    return { is: "fails", plugin, position, error, ...(cure !== undefined && { cure }) };
  }
  const outside = outsideSubnets(network.list, attachment);
  const dropped = droppedPlugins(network.list, attachment);
  return { is: "passes", ...(outside.length > 0 && { outside }), ...(dropped.length > 0 && { dropped }) };
}

/** What libcni answers to CHECK by itself, as far as it asks no plugin (CheckNetworkList). The version comes first. */
export function withoutPlugins({ value, cniVersion = "0.1.0" }: List): Verdict | undefined {
  // guard: no attachment passes whose list has no CHECK
  if (/^0\.[1-3]\./.test(cniVersion))
    return { is: "fails", error: `configuration version "${cniVersion}" does not support the CHECK command` };
  // guard: no attachment passes that the runtime does not check
  return isDisabled(value.disableCheck) ? { is: "unchecked", why: "the list has disableCheck" } : undefined;
}

/** What the plugins' own words do not say: "required prevResult missing", "Link not found". */
async function cureOf(list: List, position: number, { result }: CachedAttachment): Promise<string | undefined> {
  if (result === undefined) return "libcni's cache has no result of it: restore the file, or replace the container";
  const plugin = list.plugins[position];
  const missing = plugin && missingMaster.findInPlugin(plugin, list, { lists: [], links: await readLinks() });
  if (missing && "message" in missing) return `${missing.message}. ${missing.hint}`;
  // Whatever its words are: the CHECK of a plain creator next to others fails because of their addresses.
  const found = plugin && unwrappedCreator.findInPlugin(plugin, list, { lists: [] });
  if (!found || !("message" in found)) return undefined;
  const file = list.file.path === "" ? "" : `, or run cni-wrappers wrap --write ${list.file.path}`;
  return `${found.message}, so its CHECK sees the addresses of all interfaces. ${found.hint}${file}`;
}

function missingList(name: string, { faults }: CheckOptions): string {
  const named = faults.filter(({ network }) => network === name);
  const lines = (named.length > 0 ? named : faults).map(({ line }) => `; not loaded: ${line}`);
  return `no list in the directories defines the network ${name}${lines.join("")}`;
}

/** The options of a command that checks attachments. */
export interface CheckRequest extends HostOptions {
  /** In seconds. */
  readonly timeout: string;
  /** A list that takes the place of the current one of its name. */
  readonly with?: string;
}

/** The same options with the lists that are in place, whatever `--with` names. */
export function inPlace(options: CheckOptions): CheckOptions {
  return { ...options, networks: networksIn(options.files), with: undefined };
}

/** Returns how to check on this host. Throws Trouble if a directory of lists, or the list, cannot be read. */
export function checkOptionsOn(
  paths: HostPaths,
  { timeout, with: file }: Pick<CheckRequest, "timeout" | "with">,
  directory: string,
): CheckOptions {
  const lists = readLists(paths.configDirectories, directory);
  const networks = new Map(lists.networks);
  const network = file === undefined ? undefined : demandNetworkIn(readListFile(file, directory));
  if (network) networks.set(network.name, network);
  return { ...lists, networks, with: network, cniPath: paths.cniPath, seconds: Number(timeout) };
}

/** The addresses of an attachment that are in no subnet of its list, a line each. CHECK does not see it, the next ADD does. */
export function outsideSubnets(list: List, attachment: CachedAttachment): readonly string[] {
  return creatorsOf(list).flatMap((plugin) => {
    if (isRewritten(plugin) || !hasKnownName(list, plugin)) return [];
    const subnets = rangeSetsOf(plugin).flatMap((set) => set.flatMap(({ range }) => String(range.subnet)));
    const known = subnets.flatMap((subnet) => cidrOf(subnet) ?? []);
    const ifName = plugin.isRenamed ? plugin.ifName : attachment.runtimeIfName;
    return addressesAt(attachment, ifName)
      .filter((address) => {
        const cidr = cidrOf(address);
        return cidr && known.length > 0 && !known.some((subnet) => contains(subnet, cidr));
      })
      .map((address) => {
        const words = `${ifName} has ${address}, and the list now has ${subnets.join(", ")}`;
        return `${words}: ${plugin.type} may refuse the next container; stop those of the old subnet first, or undo the change`;
      });
  });
}

/**
 * Returns a line for each plain plugin that made rules on the host for an attachment and is no longer in the list: the runtime
 * does not run its DEL. The DEL of a wrapped plugin is run by the wrappers that are still in the list.
 */
export function droppedPlugins({ plugins }: List, { list, capabilityArgs }: CachedAttachment): readonly string[] {
  const before = objectsOf(list?.plugins);
  const { portMappings } = capabilityArgs;
  const hasPorts = Array.isArray(portMappings) && portMappings.length > 0;
  return ["portmap", "firewall"].flatMap((name) => {
    const isGone = before.some(({ type }) => type === name) && !plugins.some(({ delegate }) => delegate === name);
    if (!isGone || (name === "portmap" && !hasPorts)) return [];
    return `${name} is in the list no more, so DEL leaves its rules: put it back until the containers that have them are gone`;
  });
}
