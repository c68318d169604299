import { withInterfaces } from "../attachment/attachments.ts";
import { warn } from "../call/session.ts";
import { ipamOf } from "../journal/host-files.ts";
import type { Entry } from "../journal/journal.ts";
import type { Removal } from "../journal/sharing.ts";
import { profileOf, scopeOf } from "../plugin/profile.ts";
import { goLookup, isJsonObject, type JsonObject, withGoKey } from "../protocol/json.ts";
import { withoutAddressesOfOthers } from "./taken-addresses.ts";
import type { Undoing } from "./undoing.ts";

/**
 * Whether the DEL with the list's configuration frees what the one with the entry's would. That of another IPAM plugin passes,
 * and frees nothing; that without `ipMasq` leaves its rules. An ADD that failed has freed its lease itself, and may have failed
 * because its IPAM plugin is missing.
 */
export function freesTheSame({ failed }: Entry, own: JsonObject, listed: JsonObject): boolean {
  if (goLookup(own, "ipMasq") === true && goLookup(listed, "ipMasq") !== true) return false;
  return failed !== undefined || goLookup(ipamOf(own), "type") === goLookup(ipamOf(listed), "type");
}

/** The configuration, with the interfaces that the plugin added in prevResult. */
export function withEverythingAdded({ configuration, done }: Entry): JsonObject {
  const { prevResult } = configuration;
  const added = done?.added ?? [];
  if (added.length === 0 || !isJsonObject(prevResult)) return configuration;
  return { ...configuration, prevResult: withInterfaces(prevResult, added) };
}

/** The configuration with which the DEL of a creator leaves what another attachment has, too: its lease, its masquerading. */
export function withoutShared(configuration: JsonObject, removal: Removal & { do: "DEL" }): JsonObject {
  const keepsLease = !removal.freesLease && isJsonObject(goLookup(configuration, "ipam"));
  const kept = keepsLease ? withGoKey(configuration, "ipam", { type: "static" }) : configuration;
  return removal.keepsMasquerading ? withGoKey(kept, "ipMasq", false) : kept;
}

/** The configuration without addresses that others have by now, if the plugin's rules name nothing else. */
export function keepingOthers(undoing: Undoing, entry: Entry, configuration: JsonObject): JsonObject {
  const { session, journal, facts } = undoing;
  const profile = profileOf(entry.type, session.profiles);
  const mayNameAddresses = entry.role === "meta" && (profile === undefined || scopeOf(profile) === "address");
  if (!mayNameAddresses) return configuration;
  const { kept, taken } = withoutAddressesOfOthers(facts, journal.key.containerId, configuration);
  if (taken.length > 0) {
    warn(session, `another container has ${taken.join(", ")} by now: DEL does not remove its rules`);
  }
  return kept;
}
