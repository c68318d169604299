import { type AttachmentSelector, findAttachment } from "../attachment/attachments.ts";
import { Facts } from "../journal/facts.ts";
import { type AttachmentKey, checksumOf, type Entry, type Journal, laterEntry, ownEntry } from "../journal/journal.ts";
import { parseJournal } from "../journal/lines.ts";
import { type Profile, type Profiles, profileOf, type Role } from "../plugin/profile.ts";
import { CniError } from "../protocol/errors.ts";
import { isJsonObject, type JsonObject, objectOf } from "../protocol/json.ts";
import { lastElement, networkNameProblem } from "../protocol/names.ts";
import {
  type ConfiguredVerb,
  lenientVerbs,
  misplacedKeys,
  type Request,
  withoutPrevResult,
} from "../protocol/request.ts";
import { type CniResult, isChainVersion, isUnchainedVersion } from "../protocol/result.ts";
import { problemIn, resultShape } from "../protocol/shapes.ts";
import type { Session } from "./session.ts";

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

/** Everything that a verb needs, made once. */
export interface Call {
  readonly session: Session;
  readonly facts: Facts;
  readonly request: Request;
  readonly target: Target;
  /** The prevResult to narrow; undefined if the delegate gets it unchanged. */
  readonly prevResult: CniResult | undefined;
  readonly key: AttachmentKey;
  readonly journal: Journal;
  /** The call's entry: that of the plugin that the call is for. */
  readonly own: Entry | undefined;
  /** Faults that do not fail the call. */
  readonly notes: readonly string[];
}

/** The verbs for one attachment. */
const attachmentVerbs: readonly ConfiguredVerb[] = ["ADD", "CHECK", "DEL"];

/** Makes the call for a request. Code 7 if the target, a key or prevResult is invalid, 1 if its version has no chains. */
export function makeCall(session: Session, given: Request): Call {
  const { command, configuration, variables } = given;
  const configured = targetOf(given, session.host.calledAs, session.profiles);
  // Only ADD fails for one. The others tell the log.
  const isTold = command === "ADD" || session.log.file !== undefined;
  const misplaced = isTold ? misplacedKeys(configuration, configured.profile !== undefined) : [];
  if (command === "ADD" && misplaced[0]) throw misplaced[0];
  const { prevResult, request } = readPrevResult(given, configured);
  const facts = new Facts(session.host);
  const { containerId } = variables;
  const key = { network: configuration.name, containerId, runtimeIfName: configured.selector.runtimeIfName };
  const journal = attachmentVerbs.includes(command) ? facts.journal(key) : parseJournal(key);
  const role = command === "ADD" ? (configured.role ?? roleIn(prevResult, configured)) : configured.role;
  const own = (command === "ADD" ? ownEntry : laterEntry)(journal, {
    type: configured.delegate,
    role,
    ifName: configured.selector.ifName,
    wrapper: request.wrapper as JsonObject,
    checksum: () => checksumOf(configuration),
  });
  const target = { ...configured, role: role ?? own?.role };
  const notes = [...request.warnings, ...misplaced.map(({ message }) => message)];
  if (journal.problem !== undefined) notes.push(`${journal.file} cannot be read: ${journal.problem}`);
  return { session, facts, request, target, prevResult, key, journal, own, notes };
}

/** An unknown plugin acts on the interface if prevResult has it, and makes it otherwise. */
function roleIn(prevResult: CniResult | undefined, { selector: { ifName, netns } }: Target): Role {
  return prevResult && findAttachment(prevResult, ifName, netns) ? "meta" : "creator";
}

/** Reads the prevResult of a call. For DEL, a malformed one counts as missing: an attachment must always be removable. */
function readPrevResult(request: Request, { renamed }: Target): { request: Request; prevResult?: CniResult } {
  const { command, configuration } = request;
  const { prevResult, cniVersion } = configuration;
  if (prevResult === undefined || prevResult === null || !attachmentVerbs.includes(command)) return { request };
  if (!isChainVersion(cniVersion)) {
    // An interface that is not renamed needs no narrowing, and an attachment must always be removable.
    if (lenientVerbs.includes(command) || (!renamed && isUnchainedVersion(cniVersion))) return { request };
    throw new CniError("incompatibleVersion", "", `cniVersion is ${cniVersion}`);
  }
  // The answer of a plugin that is alone in its list is passed on unchanged, so a live attachment may have such a result.
  const result = command === "ADD" ? prevResult : withoutNegativeIndexes(prevResult);
  const problem = problemIn(resultShape, result, "prevResult");
  if (problem === undefined) return { request, prevResult: result };
  const error = new CniError("invalidPrevResult", problem);
  if (command !== "DEL") throw error;
  return { request: withoutPrevResult(request, error.message) };
}

/** Returns the result without the index -1, which early plugins in Go wrote for an address without an interface. */
function withoutNegativeIndexes(result: JsonObject): JsonObject {
  const { ips } = result;
  const isNone = (ip: unknown) => isJsonObject(ip) && typeof ip.interface === "number" && ip.interface < 0;
  if (!Array.isArray(ips) || !ips.some(isNone)) return result;
  return { ...result, ips: ips.map((ip) => (isNone(ip) ? { ...ip, interface: null } : ip)) };
}
