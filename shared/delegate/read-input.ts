import type { Bytes, Host } from "../host/host.ts";
import { CniError } from "../protocol/errors.ts";
import type { JsonObject } from "../protocol/json.ts";
import { type ConfiguredVerb, checkedVersion, decodeConfiguration } from "../protocol/request.ts";
import { type Session, sizeLimit } from "./session.ts";

/** Reads stdin as text; undefined if it is not UTF-8. Code 5 if it cannot be read or is too large. */
export function readInput(host: Host): string | undefined {
  return readStdin(host).decodeUtf8();
}

/** The keys in whose values the wrapper looks on CHECK, in lower case. */
const readOnCheck =
  " cniversion name type prevresult wrapper ipam runtimeconfig bridge isgateway isdefaultgateway vlan ";

/**
 * Reads the plugin configuration from stdin. Errors are those of `readInput` and `decodeConfiguration`. CHECK runs for every
 * container when a client restarts, so it leaves large values unread.
 */
export function readConfiguration(session: Session, command: ConfiguredVerb): JsonObject {
  const input = readStdin(session.host);
  const outlined = command === "CHECK" ? input.outline?.(readOnCheck) : undefined;
  if (outlined === undefined) return decodeConfiguration(input.decodeUtf8());
  session.hasUnread = true;
  return checkedVersion(outlined);
}

function readStdin(host: Host): Bytes {
  let input: Bytes | undefined;
  try {
    input = host.readStdin(sizeLimit);
  } catch (error) {
    throw new CniError("unreadableInput", "", error instanceof Error ? error.message : String(error));
  }
  if (input === undefined) throw new CniError("oversizedInput", "");
  return input;
}
