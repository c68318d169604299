/** One file or link of a tar archive. */
export interface TarEntry {
  /** Its path without `./` at the start. */
  readonly path: string;
  /** The target, if it is a symbolic link. */
  readonly target: string | undefined;
  readonly bytes: Buffer;
}

const block = 512;
/** Files, in the old spelling and the new one, and symbolic links. */
const fileTypes = ["\0", "0", "2"];

/** Reads the files and the symbolic links of a tar archive (POSIX ustar). Throws a RangeError if the archive is cut short. */
export function readTar(archive: Buffer): readonly TarEntry[] {
  const entries: TarEntry[] = [];
  for (let at = 0; at + block <= archive.length && archive[at] !== 0; ) {
    const header = archive.subarray(at, at + block);
    const size = Number.parseInt(textAt(header, 124, 12), 8) || 0;
    const [start, type] = [at + block, String.fromCharCode(header[156] ?? 0)];
    if (start + size > archive.length) throw new RangeError("the archive is cut short");
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
