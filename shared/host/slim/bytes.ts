import type { Bytes } from "../host.ts";
import type { Machine } from "./machine.ts";
import { errorName } from "./system-names.ts";

/** Bytes that stay outside the engine, by their index. */
export class HeldBytes implements Bytes {
  readonly #machine: Machine;
  readonly #index: number;

  constructor(machine: Machine, index: number) {
    this.#machine = machine;
    this.#index = index;
  }

  decodeUtf8() {
    return this.#machine.decodeUtf8(this.#index);
  }

  print() {
    orThrow(this.#machine.writeBytes(this.#index));
  }
}

/** Returns a machine's result. Throws the name of the error if it failed. */
export function orThrow(result: number): number {
  if (result < 0) throw new Error(errorName(-result));
  return result;
}
