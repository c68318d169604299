import { signsLimit } from "../../protocol/json.ts";
import { readOutline } from "../../protocol/unread.ts";
import type { Bytes } from "../host.ts";
import type { Machine } from "./machine.ts";
import { errorName } from "./system-names.ts";

/** Wraps bytes that stay outside the engine, by their index. */
export function bytesOf(machine: Machine, bytes: number): Bytes {
  const decode = (start: number, end: number) => machine.decodeUtf8(bytes, start, end);
  return {
    decodeUtf8: () => decode(0, Number.POSITIVE_INFINITY),
    outline(read) {
      const outline = machine.outline(bytes, read, signsLimit);
      return outline === undefined ? undefined : readOutline(outline, bytes, decode);
    },
    print: () => void orThrow(machine.writeBytes(bytes)),
  };
}

/** Returns a machine's result. Throws the name of the error if it failed. */
export function orThrow(result: number): number {
  if (result < 0) throw new Error(errorName(-result));
  return result;
}
