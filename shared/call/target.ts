import type { AttachmentSelector } from "../attachment/attachments.ts";
import { type Profile, type Profiles, profileOf, type Role } from "../plugin/profile.ts";
import { CniError } from "../protocol/errors.ts";
import { objectOf } from "../protocol/json.ts";
import { lastElement, networkNameProblem } from "../protocol/names.ts";
import { lenientVerbs, type Request } from "../protocol/request.ts";

/** The target of a call: its delegate, interface and network. */
export interface Target {
  readonly delegate: string;
  readonly profile: Profile | undefined;
  /** The role from the profile or the operator. Without either, prevResult decides on ADD, and the entry later. */
  readonly role: Role | undefined;
  readonly selector: AttachmentSelector;
  /** Whether the interface's name differs from the runtime's. */
  readonly renamed: boolean;
  readonly network: string;
}

/** The part of a request that its target depends on. */
export interface Targeting extends Pick<Request, "command"> {
  readonly variables: Pick<Request["variables"], "ifName" | "netns">;
  readonly configuration: Request["configuration"];
  readonly wrapper: Pick<Request["wrapper"], "delegate" | "ifName" | "network" | "role">;
}

/** Finds the target of a call. Code 7 if no delegate is named, the role contradicts the profile, or a name is invalid. */
export function targetOf(request: Targeting, calledAs: string, profiles: Profiles): Target {
  const { wrapper, variables } = request;
  const delegate = wrapper.delegate ?? delegateName(calledAs);
  if (delegate === undefined) throw new CniError("unnamedDelegate", `started as ${calledAs}`);
  const profile = profileOf(delegate, profiles);
  const runtimeIfName = variables.ifName || listedIfName(request);
  const ifName = wrapper.ifName ?? runtimeIfName;
  const renamed = ifName !== runtimeIfName;
  return {
    delegate,
    profile,
    role: roleOf(request, delegate, profile),
    selector: { ifName, netns: variables.netns, runtimeIfName },
    renamed,
    network: wrapper.network ?? networkOf(request),
  };
}

const suffix = "-wrapper";

/**
 * Returns the plugin that an executable's name stands for: `bridge` for `/opt/cni/bin/bridge-wrapper`, and for
 * `/opt/cni/first/bridge`, where the wrapper replaces the plugin. Undefined for the executable's own name.
 */
export function delegateName(calledAs: string): string | undefined {
  const name = lastElement(calledAs);
  const delegate = name.length > suffix.length && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
  return delegate === "" || delegate === "cni-wrappers" ? undefined : delegate;
}

// GC and STATUS have no CNI_IFNAME. If all attachments in GC's list have one name, it is the runtime's.
function listedIfName({ configuration }: Targeting): string {
  const attachments = configuration["cni.dev/valid-attachments"];
  const names = new Set(Array.isArray(attachments) ? attachments.map((entry) => objectOf(entry).ifname) : []);
  const [only] = names;
  return names.size === 1 && typeof only === "string" ? only : "";
}

function roleOf({ command, wrapper }: Targeting, delegate: string, profile: Profile | undefined): Role | undefined {
  const asked = wrapper.role ?? profile?.role;
  if (profile === undefined || asked === profile.role) return asked;
  // If STATUS fails, a runtime skips DEL. If DEL fails, the attachment stays.
  if (lenientVerbs.includes(command)) return profile.role;
  throw new CniError("invalidConfiguration", `wrapper.role must be "${profile.role}" for ${delegate}, or be left out`);
}

// An interface with an `ifName` has its own network, so that names that plugins derive from (network, container id) stay
// distinct. Also if the runtime's name is the same: the list may be attached once more under another one.
function networkOf({ command, configuration: { name }, wrapper: { ifName } }: Targeting): string {
  if (ifName === undefined) return name;
  const network = `${name}-${ifName}`;
  // host-local makes a directory of that name, on DEL as well.
  const problem = network.length > 255 ? "has more than 255 bytes" : networkNameProblem(network);
  if (problem === undefined) return network;
  if (lenientVerbs.includes(command)) return name;
  const what = `the network of interface ${ifName} would be ${JSON.stringify(network)}, which ${problem}`;
  throw new CniError("invalidConfiguration", `${what}; set wrapper.network`);
}
