import { isJsonObject, type JsonObject } from "../protocol/json.ts";
import type { Request } from "../protocol/request.ts";
import { type AttachmentRecord, type KeptFile, type Records, recordFile } from "../record/record.ts";
import { type DelegateCall, delegateCall, delOf } from "./call.ts";
import { withoutDel } from "./foreign.ts";
import { listedAs } from "./listed.ts";
import type { GcRemovals, Plan, Removal } from "./plan.ts";
import { planHandOver } from "./plan-hand-over.ts";
import type { Profiles } from "./profile.ts";
import { recordedTarget } from "./recorded-target.ts";
import { addressesOfOthers, withAddresses, withoutAddresses } from "./taken-addresses.ts";
import { profileOf, type Target } from "./target.ts";

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
  const valid = validAttachments(request);
  if (valid === undefined) return { removals: [], forget: [] };
  const isValid = ({ owner }: KeptFile): boolean => valid.has(ownerKey(owner));
  const files = records.ofNetwork(request.configuration.name);
  const present = files.filter((file) => file.isLive || isValid(file));
  const containers = new Set([...valid.values(), ...present.map(({ owner }) => owner.containerId)]);
  const owners = new Set(present.map(({ owner }) => ownerKey(owner)));
  const gone = files.filter((file) => !file.isLive && !isValid(file));
  const metas = gone.filter(
    (file) => !containers.has(file.owner.containerId) && isMetaOf(target, file) && !leavesNothing(file, profiles),
  );
  const taken =
    metas.length > 0
      ? addressesOfOthers(
          metas.map(({ owner }) => owner.containerId),
          records,
        )
      : new Set();
  const leases = new Set(present.map(leaseOf));
  return {
    removals: [
      ...gone.flatMap((file) => creatorRemoval(request, target, profiles, file, leases)),
      ...metas.flatMap((file) => metaRemoval(request, target, file, taken)),
    ],
    forget: gone
      .filter((file) => leavesNothing(file, profiles) && !owners.has(ownerKey(file.owner)))
      .map(({ file }) => file),
  };
}

/** The name of the leases that a creator's record is about. host-local has one lease for interfaces of one name in one network. */
function leaseOf({ file, record }: KeptFile): string | undefined {
  if (record === undefined || isMeta(file, record)) return undefined;
  return [record.containerId, record.ifName, record.delegateNetwork].join(":");
}

/** The DEL of a creator, as the list has it now. Its IPAM plugin frees the leases that no present attachment has. */
function creatorRemoval(
  request: Request,
  target: Target,
  profiles: Profiles,
  kept: KeptFile,
  leases: ReadonlySet<string | undefined>,
): Removal[] {
  const { file, record } = kept;
  if (!record || isMeta(file, record) || !isIts(request, target, record)) return [];
  const call = delegateCall(request, recordedTarget(target, record, profiles));
  const { [attachmentKeys[0]]: _valid, [attachmentKeys[1]]: _former, ...configuration } = call.configuration ?? {};
  const removal = removalOf({ ...call, configuration }, file, record);
  return [leases.has(leaseOf(kept)) ? withoutDel(removal) : removal];
}

/**
 * The DEL of a meta plugin, with the configuration of its ADD: portmap removes nothing without the ports. wrapper.jq has
 * already changed that configuration. A container's attachments to one network can share rules, so the caller leaves those
 * of a present container alone. firewall's rules name only an address, so the DEL does not get one that another container has.
 */
function metaRemoval(request: Request, target: Target, kept: KeptFile, taken: ReadonlySet<unknown>): Removal[] {
  const { file, record } = kept;
  if (record === undefined) return [];
  const { addresses, configuration = {}, added } = record;
  const { filter: _, ...call } = delegateCall(request, target);
  return [
    removalOf(
      delOf({ ...call, configuration: withoutAddresses(withAddresses(configuration, addresses), taken) }, added),
      file,
      record,
    ),
  ];
}

function isMetaOf({ delegate }: Target, { file, record }: KeptFile): boolean {
  return record !== undefined && record.delegate === delegate && isMeta(file, record);
}

function isMeta(file: string, record: AttachmentRecord): boolean {
  return file !== recordFile(record);
}

/** Whether nothing is left of a file's plugin, or nothing is known: moved routes are gone with the namespace. */
function leavesNothing({ file, record }: KeptFile, profiles: Profiles): boolean {
  if (record === undefined) return true;
  if (!isMeta(file, record)) return false;
  return record.configuration === undefined || profileOf(record.delegate, profiles)?.movesRoutes === true;
}

// Another plugin of the same type may keep its leases elsewhere.
function isIts(request: Request, { delegate, selector }: Target, record: AttachmentRecord): boolean {
  if (record.delegate !== delegate) return false;
  const { listed, ifName } = record;
  return listed === undefined || listed === listedAs(request) || ifName === selector.ifName;
}

function ownerKey({ containerId, runtimeIfName }: KeptFile["owner"]): string {
  return `${containerId}:${runtimeIfName}`;
}

function removalOf(call: DelegateCall, file: string, { containerId, ifName }: AttachmentRecord): Removal {
  const environment = {
    CNI_COMMAND: "DEL",
    CNI_CONTAINERID: containerId,
    CNI_NETNS: "",
    CNI_IFNAME: ifName,
    CNI_ARGS: "",
  };
  const note = `${containerId} is no longer valid and its namespace is gone: running DEL for ${ifName}`;
  return { call: { ...call, environment }, again: false, forget: [file], notes: [note] };
}

/** The container of each attachment that a GC lists as valid; undefined if the GC has no list. */
function validAttachments({ configuration }: Request): ReadonlyMap<string, unknown> | undefined {
  const list = attachmentKeys.map((key) => configuration[key]).find(Array.isArray);
  const entries = list
    ?.filter(isJsonObject)
    .filter(({ containerID, ifname }) => isText(containerID) && isText(ifname))
    .map(({ containerID, ifname }): [string, unknown] => [`${containerID}:${ifname}`, containerID]);
  return entries && new Map(entries);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function withInterface(attachments: readonly unknown[], ifname: string): unknown[] {
  const known = attachments.filter(isJsonObject);
  const containers = new Set(known.map(({ containerID }) => containerID));
  for (const { containerID, ifname: listed } of known) if (listed === ifname) containers.delete(containerID);
  if (ifname === "") return [...attachments];
  return [...attachments, ...[...containers].map((containerID) => ({ containerID, ifname }))];
}
