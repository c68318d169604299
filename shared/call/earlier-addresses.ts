import { type AttachmentSelector, ownAttachment, ownership } from "../attachment/attachments.ts";
import { objectOf } from "../protocol/json.ts";
import type { CniResult } from "../protocol/result.ts";
import type { DelegateCall } from "./delegate-call.ts";

/**
 * IPAM plugins that take the addresses of `args.cni.ips` from their own ranges (CONVENTIONS.md, "ips"). static adds them to
 * its own addresses, and dhcp does not read them.
 */
const choosingIpam: readonly unknown[] = ["host-local"];

/** Returns the addresses of an attachment, such as `172.26.64.2/20`; all of a result that does not list its interface. */
export function addressesOf(result: CniResult, selector: AttachmentSelector): string[] {
  const { ips } = result;
  const attachment = ownAttachment(result, selector);
  const own = attachment ? (ips ?? []).filter(ownership(result, attachment, selector)) : (ips ?? []);
  return own.map(({ address }) => address);
}

/**
 * Returns the call with a request for these addresses. Undefined if there are none, if the plugin cannot be asked, or if the
 * runtime or the operator already asks for some (`IP=` in CNI_ARGS, `args.cni.ips`, the capability `ips`).
 */
export function askingFor(call: DelegateCall, addresses: readonly string[], args: string): DelegateCall | undefined {
  const { configuration } = call;
  if (addresses.length === 0) return undefined;
  const { ipam, args: given, runtimeConfig } = configuration;
  if (!choosingIpam.includes(member(ipam, "type"))) return undefined;
  const asksAlready = /(^|;)IP=/.test(args) || member(runtimeConfig, "ips") || member(member(given, "cni"), "ips");
  if (asksAlready) return undefined;
  const cni = { ...objectOf(member(given, "cni")), ips: addresses };
  return { ...call, configuration: { ...configuration, args: { ...objectOf(given), cni } } };
}

function member(value: unknown, key: string): unknown {
  return objectOf(value)[key];
}
