import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

export const root = join(import.meta.dirname, "../..");

/** A value for which a property failed once. The unit tests try it again. */
export interface Found {
  readonly test: string;
  readonly property: string;
  /** The arguments of the property. */
  readonly value: unknown;
}

const folder = "test/fixtures/found";

/** Writes a fixture, unless it is there. Returns its path. */
export function writeFound(found: Found): string {
  const words = found.property.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const name = words.slice(0, 8).join("-");
  const text = textOf(found);
  const fileOf = (number: number) => `${folder}/${name}-${number}.json`;
  const isTaken = (file: string) => existsSync(join(root, file)) && readFileSync(join(root, file), "utf8") !== text;
  let number = 1;
  while (isTaken(fileOf(number))) number++;
  const file = fileOf(number);
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, file), text);
  return file;
}

/** The fixture's text. JSON has no bytes: they become an object. */
export function textOf(found: Found): string {
  const plain = (_: string, value: unknown) =>
    value instanceof Uint8Array ? { bytes: Buffer.from(value).toString("base64") } : value;
  return `${JSON.stringify(found, plain, 2)}\n`;
}

/** The case in a fixture's text. */
export function foundIn(text: string): Found {
  return JSON.parse(text, (_, value) => {
    const isBytes = typeof value?.bytes === "string" && Object.keys(value).length === 1;
    return isBytes ? new Uint8Array(Buffer.from(value.bytes, "base64")) : value;
  });
}

/** All fixtures, each with the name of its file. */
export function readFound(): (Found & { readonly file: string })[] {
  const files = globSync(`${folder}/*.json`, { cwd: root }).sort();
  return files.map((file) => ({ ...foundIn(readFileSync(join(root, file), "utf8")), file: basename(file) }));
}
