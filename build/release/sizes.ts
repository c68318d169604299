import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { table } from "../docs/table.ts";
import { outputOf } from "../publish.ts";
import { executableIn, parseArchiveName } from "./artifacts.ts";

/** An archive, its size and the size of the executable in it. In bytes. */
export interface ArchiveSize {
  readonly name: string;
  readonly packed: number;
  readonly unpacked: number;
}

/** Returns the sizes of a version's archives in a directory. */
export function sizesIn(directory: string, version: string): readonly ArchiveSize[] {
  const names = readdirSync(directory).filter((name) => parseArchiveName(name)?.version === version);
  return names.sort().map((name) => {
    const file = join(directory, name);
    return { name, packed: statSync(file).size, unpacked: sizeInside(file) };
  });
}

function sizeInside(archive: string): number {
  const name = executableIn(parseArchiveName(basename(archive))?.flavor ?? "slim");
  const [, , bytes] = outputOf("tar", ["-tvzf", archive, `./${name}`], {}, archive).split(/ +/);
  if (bytes === undefined) throw new Error(`${archive}: tar does not say how large ${name} is`);
  return Number(bytes);
}

/** Returns the table of the archives for a page. */
export function sizeTable(sizes: readonly ArchiveSize[]): string {
  const rows = sizes.map(({ name, packed, unpacked }) => [`\`${name}\``, inMegabytes(packed), inMegabytes(unpacked)]);
  return table(["archive", "MB", "its executable, MB"], rows);
}

/** A size that a page names, in megabytes. */
export interface NamedSize {
  readonly page: string;
  /** What has this size, in the page's words. */
  readonly what: string;
  readonly megabytes: number;
  /** In bytes. */
  readonly found: number;
}

/** Says which sizes are wrong. A commit changes them a little: 5 percent, and the last digit, are no difference. */
export function sizeProblems(sizes: readonly NamedSize[]): readonly string[] {
  const wrong = sizes.filter(({ megabytes, found }) => {
    const real = found / 1e6;
    return !(Math.abs(megabytes - real) <= 0.05 * real + 0.05);
  });
  return wrong.map(({ page, what, megabytes, found }) => {
    const said = Number.isNaN(megabytes) ? "no size" : `${megabytes} MB`;
    return `${page}: ${what} has ${inMegabytes(found)} MB, and the page says ${said}`;
  });
}

/** Returns the figures in the columns of a table's row, by the text of its first column; none if there is no such row. */
export function figuresOf(section: string, title: string): readonly number[] {
  const row = section
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .find(([, first]) => first === title);
  return row?.slice(2, -1).map(Number) ?? [];
}

function inMegabytes(bytes: number): string {
  const megabytes = bytes / 1e6;
  return megabytes.toFixed(megabytes < 10 ? 1 : 0);
}
