import { isJsonObject, type JsonObject } from "../protocol/json.ts";
import type { Request } from "../protocol/request.ts";
import type { AttachmentRecord, KeptFile, Records } from "../record/record.ts";
import { type DelegateCall, delegateCall } from "./call.ts";
import { listedAs } from "./listed.ts";
import type { GcRemovals, Plan, Removal } from "./plan.ts";
import { planHandOver } from "./plan-hand-over.ts";
import type { Profiles } from "./profile.ts";
import { recordedTarget } from "./recorded-target.ts";
import type { Target } from "./target.ts";

// libcni sends both keys, because SPEC.md and the code had different names (containernetworking/cni#1101).
const attachmentKeys = ["cni.dev/valid-attachments", "cni.dev/attachments"] as const;

/** Plans GC: the wrapper removes what belongs to attachments that are no longer valid, then the delegate runs. */
export function planGc(request: Request, target: Target, profiles: Profiles, records: Records): Plan {
  const garbage = planGcRemovals(request, target, profiles, records);
  return planHandOver(gcCall(request, target), { after: [{ do: "collectGarbage", garbage }] });
}

/**
 * Returns the delegate's call for GC. A list of valid attachments has the runtime's interface names. The wrapper adds its
 * `ifName` for every container. Without it the delegate would free leases that are in use. No entry is removed.
 */
export function gcCall(request: Request, target: Target): DelegateCall {
  const call = delegateCall(request, target);
  const configuration: JsonObject = { ...call.configuration };
  for (const key of attachmentKeys) {
    const list = configuration[key];
    if (Array.isArray(list)) configuration[key] = withInterface(list, target.selector.ifName);
  }
  return { ...call, configuration };
}

/**
 * Plans the removals of a GC from the records. The reference plugins' GC does nothing. A delegate's GC sees only the list's
 * present networks, so leases under an earlier name would stay. An attachment whose namespace still exists is left alone,
 * because it may belong to another runtime.
 */
export function planGcRemovals(request: Request, target: Target, profiles: Profiles, records: Records): GcRemovals {
  const isValid = validOwners(request);
  if (isValid === undefined) return { removals: [], forget: [] };
  const invalid = records.ofNetwork(request.configuration.name).filter(({ owner }) => !isValid(owner));
  const gone = invalid.filter(({ isLive, record }) => !isLive && isIts(request, target, record));
  const live = new Set(invalid.filter(({ isLive }) => isLive).map(({ owner }) => ownerKey(owner)));
  const isLeft = ({ record, owner }: KeptFile): boolean => record === undefined && !live.has(ownerKey(owner));
  return {
    removals: gone.flatMap(({ file, record }) => (record ? removalOf(request, target, profiles, file, record) : [])),
    forget: invalid.filter(isLeft).map(({ file }) => file),
  };
}

// Another plugin of the same type may keep its leases elsewhere.
function isIts(request: Request, { delegate, selector }: Target, record: AttachmentRecord | undefined): boolean {
  if (record?.delegate !== delegate) return false;
  const { listed, ifName } = record;
  return listed === undefined || listed === listedAs(request) || ifName === selector.ifName;
}

function ownerKey({ containerId, runtimeIfName }: KeptFile["owner"]): string {
  return `${containerId}:${runtimeIfName}`;
}

function removalOf(
  request: Request,
  target: Target,
  profiles: Profiles,
  file: string,
  record: AttachmentRecord,
): Removal {
  const call = delegateCall(request, recordedTarget(target, record, profiles));
  const { [attachmentKeys[0]]: _valid, [attachmentKeys[1]]: _former, ...configuration } = call.configuration ?? {};
  const { containerId, ifName } = record;
  const variables = {
    CNI_COMMAND: "DEL",
    CNI_CONTAINERID: containerId,
    CNI_NETNS: "",
    CNI_IFNAME: ifName,
    CNI_ARGS: "",
  };
  const note = `${containerId} is no longer valid and its namespace is gone: running DEL for ${ifName}`;
  return { call: { ...call, configuration, environment: variables }, again: false, forget: [file], notes: [note] };
}

/** Returns a function that tells whether a GC lists an attachment as valid; undefined if the GC has no list. */
function validOwners({ configuration }: Request): ((owner: KeptFile["owner"]) => boolean) | undefined {
  const list = attachmentKeys.map((key) => configuration[key]).find(Array.isArray);
  const names = list?.filter(isJsonObject).map(({ containerID, ifname }: JsonObject) => `${containerID}:${ifname}`);
  const valid = names && new Set(names);
  return valid && ((owner) => valid.has(ownerKey(owner)));
}

function withInterface(attachments: readonly unknown[], ifname: string): unknown[] {
  const known = attachments.filter(isJsonObject);
  const containers = new Set(known.map(({ containerID }) => containerID));
  for (const { containerID, ifname: listed } of known) if (listed === ifname) containers.delete(containerID);
  if (ifname === "") return [...attachments];
  return [...attachments, ...[...containers].map((containerID) => ({ containerID, ifname }))];
}
