import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { outputOf } from "../publish.ts";

/** Says in which entries two archives differ; empty if every byte is the same. */
export function differences(first: string, second: string): string[] {
  if (readFileSync(first).equals(readFileSync(second))) return [];
  const stage = mkdtempSync(join(tmpdir(), "cni-wrappers-compare-"));
  try {
    const [one, other] = [unpacked(first, join(stage, "1")), unpacked(second, join(stage, "2"))];
    const found = [...new Set([...one.keys(), ...other.keys()])].sort().flatMap((name) => {
      return differenceOf(name, one.get(name), other.get(name)) ?? [];
    });
    return found.length > 0 ? found : ["only the order, the times, the owners or the compression differ"];
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Unpacks an archive. Returns the bytes of each entry, or the target of a link. */
function unpacked(archive: string, directory: string): Map<string, Buffer> {
  mkdirSync(directory);
  outputOf("tar", ["-xzf", archive, "-C", directory], {}, `${archive} cannot be unpacked`);
  return new Map(readdirSync(directory).map((name) => [name, contentOf(join(directory, name))]));
}

function contentOf(path: string): Buffer {
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return Buffer.from(`-> ${readlinkSync(path)}`);
  // A changed archive may have a pipe, which would wait.
  return found.isFile() ? readFileSync(path) : Buffer.from("no file");
}

function differenceOf(name: string, one: Buffer | undefined, other: Buffer | undefined): string | undefined {
  if (one === undefined) return `${name} is missing in the archive`;
  if (other === undefined) return `${name} is not in the archive that the sources give`;
  const place = one.findIndex((byte, index) => byte !== other[index]);
  if (place < 0 && one.length === other.length) return undefined;
  const sizes = one.length === other.length ? "" : ` (${one.length} and ${other.length} bytes)`;
  return `${name} differs at byte ${place < 0 ? one.length : place}${sizes}`;
}
