import { findAttachment } from "../attachment/attachments.ts";
import { Facts } from "../journal/facts.ts";
import { type AttachmentKey, checksumOf, type Entry, type Journal, laterEntry, ownEntry } from "../journal/journal.ts";
import { parseJournal } from "../journal/lines.ts";
import type { Role } from "../plugin/profile.ts";
import { CniError } from "../protocol/errors.ts";
import { isJsonObject, type JsonObject } from "../protocol/json.ts";
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
import { type Target, targetOf } from "./target.ts";

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
