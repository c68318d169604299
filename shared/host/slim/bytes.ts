import type { Bytes } from "../host.ts";
import type { Machine } from "./machine.ts";
import { errorName } from "./system-names.ts";

/** Wraps bytes that stay outside the engine, by their index. */
export function bytesOf(machine: Machine, bytes: number): Bytes {
  return { decodeUtf8: () => machine.decodeUtf8(bytes), print: () => void orThrow(machine.writeBytes(bytes)) };
}

/** Returns a machine's result. Throws the name of the error if it failed. */
export function orThrow(result: number): number {
  if (result < 0) throw new Error(errorName(-result));
  return result;
}
