import type { Host } from "../host/host.ts";
import { goLookup, type JsonObject, objectsOf, withGoKey } from "../protocol/json.ts";
import { interfaceNameProblem } from "../protocol/names.ts";
import { type CniResult, type Interface, isContainerInterface } from "../protocol/result.ts";

/** Whether a plugin makes an interface (`creator`) or acts on an existing one (`meta`). */
export type Role = "creator" | "meta";

/**
 * A host device that a creator shares among its containers, such as bridge's. The configuration names it under `key`;
 * `fallback` is the default name. Its MAC may follow its ports; then CHECK must not compare it.
 */
export interface SharedDevice {
  readonly key: string;
  readonly fallback: string;
}

/**
 * How a plugin names what it leaves on the host besides interfaces and leases: two attachments of a container with the same
 * name share it. `network` is the delegate's.
 */
export type NamingScope = "container" | "network" | "interface" | "address";

/** The differences between plugins, as data. */
export interface Profile {
  readonly role: Role;
  readonly sharedDevice?: SharedDevice;
  /** How its rules, chains, devices or backup files are named. Without it, it leaves none, or removes them with its interface. */
  readonly names?: NamingScope;
  /** The value of `backend` that the plugin takes without one, if that program is installed, and how it names things with it. */
  readonly usualBackend?: { readonly program: string; readonly names: NamingScope };
  /** A chained plugin whose ADD may run again on an attachment that is in use. */
  readonly repeatable?: true;
  /** CHECK of some versions of the plugin runs an IPAM plugin even if none is configured, and fails ("no plugin name provided"). */
  readonly checkNeedsIpam?: true;
  /**
   * A creator that uses a host interface and an address that an earlier plugin prepared. As long as prevResult has no
   * container interface, its ADD gets prevResult, and its answer replaces prevResult. Its DEL fails if prevResult has an interface
   * beside its own (plugins/main/ipvlan/ipvlan.go, loadConf).
   */
  readonly takesOverHostInterface?: true;
  /**
   * A chained plugin that moves its interface's routes out of the main table. The creators' CHECK looks only there, and the
   * plugin's own CHECK does not look for them. All that it leaves is in the namespace.
   */
  readonly movesRoutes?: true;
  /** The plugin's DEL fails without its interface, and frees no lease if CNI_NETNS is empty. The wrapper then runs IPAM's. */
  readonly delNeedsNamespace?: true;
  /** The plugin's DEL fails without its master, which may be in the namespace. If both interfaces are gone, the wrapper then runs IPAM's. */
  readonly delNeedsMaster?: true;
  /** The plugin's ADD asks for an address first. If its interface's name is taken, it frees all leases of that name. */
  readonly leasesFirst?: true;
  /** If its interface's name is taken, the plugin's ADD goes on with that interface, and its DEL removes it. */
  readonly takesNamesake?: true;
  /** With `ipMasq`, the plugin's DEL reads the addresses of its rules from the interface. */
  readonly masquerades?: true;
  /** With `macspoofchk`, the plugin's DEL removes its rules only if there is a namespace. */
  readonly checksSpoofs?: true;
}

/** The wrapped plugins, by type. */
export type Profiles = Readonly<Record<string, Profile>>;

/** The profile of a plugin; undefined for an unknown one. */
export function profileOf(type: string, profiles: Profiles): Profile | undefined {
  return Object.hasOwn(profiles, type) ? profiles[type] : undefined;
}

/** How an unknown plugin may name what it leaves. */
const widestScope: NamingScope = "container";

/** Returns how a plugin names what it leaves; undefined if it leaves nothing that another attachment could share. */
export function scopeOf(profile: Profile | undefined): NamingScope | undefined {
  return profile ? profile.names : widestScope;
}

/** Whether something that a chained plugin leaves has the network in its name. */
export function isNamedByNetwork(profile: Profile | undefined): boolean {
  return profile?.names === "network" || profile?.usualBackend?.names === "network";
}

/** Returns the name of the host device that a plugin shares among its containers; undefined if it shares none. */
export function sharedDeviceName(profile: Profile | undefined, configuration: JsonObject): string | undefined {
  if (!profile?.sharedDevice) return undefined;
  const name = goLookup(configuration, profile.sharedDevice.key);
  return typeof name === "string" ? name : profile.sharedDevice.fallback;
}

/** Reads what the kernel says about a device: its MAC, or how it got that. Undefined if no device can have that name. */
export function readDevice(
  host: Pick<Host, "readFile">,
  device: string,
  file: "address" | "addr_assign_type",
): string | undefined {
  if (interfaceNameProblem(device) !== undefined) return undefined;
  return host.readFile(`/sys/class/net/${device}/${file}`)?.trim();
}

/** Whether somebody has set a device's MAC, so that it no longer follows its ports: NET_ADDR_SET of uapi/linux/netdevice.h. */
export function hasFixedMac(host: Pick<Host, "readFile">, device: string): boolean {
  return readDevice(host, device, "addr_assign_type") === "3";
}

/** Returns the MAC of a host-side device in a result, which may have any shape. */
export function macIn({ interfaces }: CniResult, device: string): string | undefined {
  const found = objectsOf(interfaces).find(({ name, sandbox }) => name === device && !sandbox);
  return typeof found?.mac === "string" ? found.mac : undefined;
}

/** Returns the result without the MAC of a host-side device, which stays in it. The same object if it lists no such device. */
export function withoutMac(result: CniResult, device: string): CniResult {
  const isDevice = (one: Interface) => one.name === device && !isContainerInterface(one);
  if (!result.interfaces?.some(isDevice)) return result;
  return { ...result, interfaces: result.interfaces.map((one) => (isDevice(one) ? { name: device } : one)) };
}

/**
 * By type: the default `dataDir` of plugins that keep one file there for each container. Two plugins of one container that share
 * it replace each other's file.
 */
const fileDirectories: ReadonlyMap<string, string> = new Map([
  // Its DEL needs what its ADD wrote to <dataDir>/<container> (flannel-io/cni-plugin, flannel_linux.go).
  ["flannel", "/var/lib/cni/flannel"],
]);

/**
 * Returns a plugin's configuration. If the plugin keeps a file for each container, and has another network than the list's, it
 * gets a directory of its own. A directory that the list names stays.
 */
export function withOwnDirectory(configuration: JsonObject, type: string, network: string): JsonObject {
  const usual = fileDirectories.get(type);
  if (usual === undefined || network === configuration.name) return configuration;
  if (isNamed(goLookup(configuration, "dataDir"))) return configuration;
  return withGoKey(configuration, "dataDir", `${usual}-${network}`);
}

/** Returns the directory in which a plugin keeps a file for each container; undefined if it keeps none. */
export function fileDirectory(configuration: JsonObject, type: string): string | undefined {
  const usual = fileDirectories.get(type);
  const given = usual && goLookup(configuration, "dataDir");
  return isNamed(given) ? given : usual;
}

// A program in Go takes an empty text for a missing one.
function isNamed(directory: unknown): directory is string {
  return typeof directory === "string" && directory !== "";
}
