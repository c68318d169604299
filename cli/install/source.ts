import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { machine } from "node:os";
import { basename, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { longestList, longestReport, readInput } from "../files/read-input.ts";
import { type Terminal, Trouble, withPath } from "../terminal.ts";

/** The name of the executable, in an archive and in a directory of plugins. */
export const executableName = "cni-wrappers";

/** The executable that `install` writes. */
export interface Source {
  readonly bytes: Buffer;
  /** The names of its links; undefined if it does not come with any. */
  readonly links: readonly string[] | undefined;
  /** The version in the name of its archive. */
  readonly version?: string | undefined;
}

/** Reads a release archive or an executable; without a path the executable that runs. Throws Trouble if it is neither. */
export function readSource(path: string | undefined, terminal: Terminal): Source {
  const file = path === undefined ? terminal.executable : resolve(terminal.directory, path);
  if (file === undefined)
    throw new Trouble("this is the npm package, which has no executable: name an archive or an executable with --from");
  const found = withPath(file, () => statSync(file));
  // guard: no pipe, which waits for a writer, and no file that fills the memory
  if (!found.isFile() || found.size > longestReport) throw neither(file);
  const bytes = withPath(file, () => readFileSync(file));
  const isArchive = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const isCompared = path !== undefined && compareChecksum(file, bytes);
  if (isArchive && !isCompared) terminal.writeError(`${file}: no checksum file: not compared\n`);
  const source = isArchive ? unpacked(file, bytes) : { bytes, links: undefined };
  const its = machineOf(source.bytes);
  // guard: no file that is no executable
  if (its === undefined) throw neither(file);
  const own = machine();
  // guard: no executable of another machine
  if (its !== own) throw new Trouble(`${file}: it is for ${its}, and this machine is ${own}`);
  // guard: no executable that was cut off
  if (!isWhole(source.bytes)) throw new Trouble(`${file}: its end is missing; copy it again`);
  return source;
}

function neither(file: string): Trouble {
  return new Trouble(`${file}: it is neither a release archive (.tgz) nor an executable`);
}

function unpacked(file: string, bytes: Buffer): Source {
  const entries = entriesOf(file, bytes);
  // guard: no link instead of the executable
  const found = entries.find(({ path, target }) => path === executableName && target === undefined);
  // guard: no archive without the executable
  if (!found) throw new Trouble(`${file}: the archive has no ${executableName}`);
  const links = entries.filter(({ target }) => target === executableName).map(({ path }) => path);
  // A wrapper's name stays in its directory, and is neither hidden nor the executable.
  const wrong = links.find((link) => !/^\w[\w.-]*-wrapper$/.test(link));
  // guard: no link outside the directory
  if (wrong !== undefined) throw new Trouble(`${file}: its link ${wrong} names no wrapper; download the archive again`);
  return { bytes: found.bytes, links, version: /-v(\d.*)\.tgz$/.exec(basename(file))?.[1] };
}

function entriesOf(file: string, bytes: Buffer) {
  try {
    // An archive may unpack to much more than it has.
    return readTar(gunzipSync(bytes, { maxOutputLength: longestReport }));
  } catch (error) {
    throw new Trouble(`${file}: the archive is damaged (${(error as Error).message}); download it again`);
  }
}

// Returns whether there was a checksum to compare with.
function compareChecksum(file: string, bytes: Buffer): boolean {
  const algorithms = ["sha256", "sha512"].filter((algorithm) => existsSync(`${file}.${algorithm}`));
  for (const algorithm of algorithms) {
    const list = `${file}.${algorithm}`;
    // In a directory of all users, anybody may have put it there.
    const lines = readInput(list, list, longestList).toString().split("\n");
    // guard: the checksum of another file proves nothing
    const line = lines.find((each) => each.split(/\s+\*?/)[1] === basename(file));
    // guard: no archive that its checksum file does not name
    if (line === undefined) throw new Trouble(`${list}: it has no line for ${basename(file)}`);
    // guard: no archive that does not match its checksum
    if (line.split(/\s/)[0]?.toLowerCase() !== createHash(algorithm).update(bytes).digest("hex"))
      throw new Trouble(`${file}: it does not match ${basename(list)}; download both again`);
  }
  return algorithms.length > 0;
}

/** One file or link of a tar archive. */
interface TarEntry {
  /** Its path without `./` at the start. */
  readonly path: string;
  /** The target, if it is a symbolic link. */
  readonly target: string | undefined;
  readonly bytes: Buffer;
}

const block = 512;
/** Files, in the old spelling and the new one, and symbolic links. */
const fileTypes = ["", "0", "2"];

/** Reads the files and the symbolic links of a tar archive (POSIX ustar). Throws a RangeError if the archive is damaged. */
function readTar(archive: Buffer): readonly TarEntry[] {
  const entries: TarEntry[] = [];
  for (let at = 0; at + block <= archive.length && archive[at] !== 0; ) {
    const header = archive.subarray(at, at + block);
    const size = Number.parseInt(textAt(header, 124, 12), 8) || 0;
    const [start, type] = [at + block, textAt(header, 156, 1)];
    // With a negative size, the next header would be an earlier one, for ever.
    // guard: no archive that is cut short
    if (size < 0 || start + size > archive.length) throw new RangeError("the archive is damaged or cut short");
    const path = [textAt(header, 345, 155), textAt(header, 0, 100)].filter(Boolean).join("/").replace(/^\.\//, "");
    const target = type === "2" ? textAt(header, 157, 100) : undefined;
    if (fileTypes.includes(type)) entries.push({ path, target, bytes: archive.subarray(start, start + size) });
    at = start + Math.ceil(size / block) * block;
  }
  return entries;
}

function textAt(header: Buffer, start: number, length: number): string {
  const [text = ""] = header.toString("utf8", start, start + length).split("\0");
  return text.trim();
}

/** The machines that releases are for, by `e_machine` in the header of an ELF file (elf.h), as `uname -m` prints them. */
const machines: Readonly<Record<number, string>> = { 62: "x86_64", 183: "aarch64" };

/** Returns the machine that an executable is for; undefined if the bytes are no ELF file. */
function machineOf(bytes: Buffer): string | undefined {
  // guard: no file that is no executable
  if (bytes.length < 64 || bytes.readUInt32BE(0) !== 0x7f454c46) return undefined;
  return machines[bytes.readUInt16LE(18)] ?? "another one";
}

/** Tells whether an ELF file has its table of sections, which is its end: a copy that was cut off may still answer some calls. */
function isWhole(bytes: Buffer): boolean {
  const [table, size, count] = [bytes.readBigUInt64LE(40), bytes.readUInt16LE(58), bytes.readUInt16LE(60)];
  return table + BigInt(size * count) <= bytes.length;
}
