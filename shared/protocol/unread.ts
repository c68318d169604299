import type { JsonObject } from "./json.ts";
import { jsonText } from "./json-text.ts";

// A wrapper hands most of a configuration on unchanged. For a large value, parsing it and writing it again would take most of a
// call. Few calls have one, so these functions are loaded by those only (build/deferred.ts).

/**
 * A large value of a plugin configuration that the wrapper does not look into. The host keeps its bytes, which are spelled as
 * JSON.stringify spells the value.
 */
export class Unread {
  /** Where the host has the bytes: the index of the input, the start and the end. */
  readonly place: readonly [number, number, number];
  readonly #decode: Decode;

  constructor(place: Unread["place"], decode: Decode) {
    this.place = place;
    this.#decode = decode;
  }

  /** The value's JSON text. */
  read(): string {
    const [, start, end] = this.place;
    return this.#decode(start, end) ?? "";
  }

  /** JSON.stringify calls this, so a log or a checksum has the whole value. */
  toJSON(): unknown {
    return JSON.parse(this.read());
  }
}

/** Decodes the bytes of an input from `start` to `end`. */
type Decode = (start: number, end: number) => string | undefined;

/**
 * Returns the configuration of a host's outline: a JSON text of the configuration, in which each large value is 0, followed by
 * the key, the start and the end of each.
 */
export function readOutline(outline: string, input: number, decode: Decode): JsonObject {
  const [configuration, ...large] = JSON.parse(outline);
  for (const [key, start, end] of large) configuration[key] = new Unread([input, start, end], decode);
  return configuration;
}

/** A JSON text in pieces: texts, and between two of them a value of which the host has the bytes. */
export interface Pieces {
  readonly texts: readonly string[];
  readonly values: readonly Unread[];
}

/** Writes a configuration as JSON, as `jsonText` does. */
export function piecesOf(configuration: JsonObject): Pieces {
  const [texts, values]: [string[], Unread[]] = [[], []];
  let text = "";
  for (const [key, value] of Object.entries(configuration)) {
    if (value === undefined) continue;
    text += `${text === "" && texts.length === 0 ? "{" : ","}${JSON.stringify(key)}:`;
    if (value instanceof Unread) {
      texts.push(text);
      values.push(value);
      text = "";
    } else text += jsonText(value);
  }
  return { texts: [...texts, `${text}}`], values };
}
