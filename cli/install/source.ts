import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Terminal } from "../terminal.ts";
import { Trouble, withPath } from "../trouble.ts";
import { isWhole, machineOf, ownMachine } from "./elf.ts";
import { readTar } from "./tar.ts";

/** The name of the executable, in an archive and in a directory of plugins. */
export const executableName = "cni-wrappers";

/** The executable that `install` writes. */
export interface Source {
  readonly bytes: Buffer;
  /** The names of its links; undefined if it does not come with any. */
  readonly links: readonly string[] | undefined;
}

/** Reads a release archive or an executable; without a path the executable that runs. Throws Trouble if it is neither. */
export function readSource(path: string | undefined, terminal: Terminal): Source {
  const { directory, executable } = terminal;
  if (path === undefined && executable === undefined)
    throw new Trouble("this is the npm package, which has no executable: name an archive or an executable with --from");
  const file = path === undefined ? (executable ?? "") : resolve(directory, path);
  const bytes = withPath(file, () => readFileSync(file));
  const isArchive = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const isCompared = path !== undefined && compareChecksum(file, bytes);
  if (isArchive && !isCompared) terminal.writeError(`${file}: no checksum file: not compared\n`);
  const source = isArchive ? unpacked(file, bytes) : { bytes, links: undefined };
  const machine = machineOf(source.bytes);
  if (machine === undefined) throw new Trouble(`${file}: it is neither a release archive (.tgz) nor an executable`);
  const own = ownMachine(process.arch);
  if (machine !== own) throw new Trouble(`${file}: it is for ${machine}, and this machine is ${own}`);
  if (!isWhole(source.bytes)) throw new Trouble(`${file}: its end is missing; copy it again`);
  return source;
}

function unpacked(file: string, bytes: Buffer): Source {
  const entries = entriesOf(file, bytes);
  const found = entries.find(({ path, target }) => path === executableName && target === undefined);
  if (!found) throw new Trouble(`${file}: the archive has no ${executableName}`);
  const links = entries.filter(({ target }) => target === executableName).map(({ path }) => path);
  return { bytes: found.bytes, links };
}

function entriesOf(file: string, bytes: Buffer) {
  try {
    return readTar(gunzipSync(bytes));
  } catch (error) {
    throw new Trouble(`${file}: the archive is damaged (${(error as Error).message}); download it again`);
  }
}

// Returns whether there was a checksum to compare with.
function compareChecksum(file: string, bytes: Buffer): boolean {
  const algorithms = ["sha256", "sha512"].filter((algorithm) => existsSync(`${file}.${algorithm}`));
  for (const algorithm of algorithms) {
    const list = `${file}.${algorithm}`;
    const lines = withPath(list, () => readFileSync(list, "utf8")).split("\n");
    const line = lines.find((each) => each.split(/\s+\*?/)[1] === basename(file));
    if (line === undefined) throw new Trouble(`${list}: it has no line for ${basename(file)}`);
    if (line.split(/\s/)[0]?.toLowerCase() !== createHash(algorithm).update(bytes).digest("hex"))
      throw new Trouble(`${file}: it does not match ${basename(list)}; download both again`);
  }
  return algorithms.length > 0;
}
