import { isJsonObject, type JsonObject } from "../protocol/json.ts";
import type { Request } from "../protocol/request.ts";
import { type DelegateCall, delegateCall } from "./call.ts";
import type { ValidAttachments } from "./record.ts";
import type { Subject } from "./subject.ts";

// libcni sends both: SPEC.md had named the key differently from the code (containernetworking/cni#1101).
const attachmentKeys = ["cni.dev/valid-attachments", "cni.dev/attachments"];

/**
 * Plans GC: a list of valid attachments names them by the runtime's interface, so that the wrapper's own is added for every
 * container; without it the delegate would free what is in use. None is removed.
 */
export function planGc(request: Request, subject: Subject): DelegateCall {
  const call = delegateCall(request, subject);
  const configuration: JsonObject = { ...call.configuration };
  for (const key of attachmentKeys) {
    const list = configuration[key];
    if (Array.isArray(list)) configuration[key] = withInterface(list, subject.name.ifName);
  }
  return { ...call, configuration };
}

/** The attachments that a GC calls valid; undefined where it says nothing of them. */
export function validAttachments({ configuration, wrapper }: Request): ValidAttachments | undefined {
  const list = attachmentKeys.map((key) => configuration[key]).find(Array.isArray);
  const valid = list
    ?.filter(isJsonObject)
    .map((one: JsonObject) => ({ containerId: one.containerID, runtimeIfName: one.ifname }));
  return valid && { network: configuration.name, ifName: wrapper.ifName, valid };
}

function withInterface(attachments: readonly unknown[], ifname: string): unknown[] {
  const known = attachments.filter(isJsonObject);
  const containers = new Set(known.map(({ containerID }) => containerID));
  for (const { containerID, ifname: listed } of known) if (listed === ifname) containers.delete(containerID);
  if (ifname === "") return [...attachments];
  return [...attachments, ...[...containers].map((containerID) => ({ containerID, ifname }))];
}
