import { sizeLimit } from "../call/session.ts";
import type { Bytes, Host } from "../host/host.ts";
import { CniError } from "../protocol/errors.ts";

/** Reads stdin as text; undefined if it is not UTF-8. Code 5 if it cannot be read or is too large. */
export function readInput(host: Host): string | undefined {
  let input: Bytes | undefined;
  try {
    input = host.readStdin(sizeLimit);
  } catch (error) {
    throw new CniError("unreadableInput", "", error instanceof Error ? error.message : String(error));
  }
  if (input === undefined) throw new CniError("oversizedInput", "");
  return input.decodeUtf8();
}
