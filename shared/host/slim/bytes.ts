import { signsLimit } from "../../protocol/json.ts";
import { readOutline } from "../../protocol/unread.ts";
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
    return this.#decode(0, Number.POSITIVE_INFINITY);
  }

  outline(read: string) {
    const outline = this.#machine.outline(this.#index, read, signsLimit);
    if (outline === undefined) return undefined;
    return readOutline(outline, this.#index, (start, end) => this.#decode(start, end));
  }

  print() {
    orThrow(this.#machine.writeBytes(this.#index));
  }

  #decode(start: number, end: number) {
    return this.#machine.decodeUtf8(this.#index, start, end);
  }
}

/** Returns a machine's result. Throws the name of the error if it failed. */
export function orThrow(result: number): number {
  if (result < 0) throw new Error(errorName(-result));
  return result;
}
