import type { Bytes, Host } from "../host/host.ts";
import { CniError } from "../protocol/errors.ts";
import { sizeLimit } from "./session.ts";

/** Reads stdin as text; undefined if it is not UTF-8. Code 5 if it cannot be read or is too large. */
export function readInput(host: Host): string | undefined {
  const input = readStdin(host);
  if (input === undefined) throw new CniError("oversizedInput", "");
  return input.decodeUtf8();
}

function readStdin(host: Host): Bytes | undefined {
  try {
    return host.readStdin(sizeLimit);
  } catch (error) {
    throw new CniError("unreadableInput", "", error instanceof Error ? error.message : String(error));
  }
}
