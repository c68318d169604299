import { table } from "../../../build/docs/table.ts";
import type { Verdict } from "./report.ts";

/** The mutants of a folder, and those that a test killed. */
export interface Figure {
  readonly mutants: number;
  readonly killed: number;
  /** When they were counted. */
  readonly commit: string;
  readonly date: string;
}

/** The figures of each folder as a table. Only folders whose files all ran get new ones. */
export function figuresOf(
  verdicts: readonly Verdict[],
  before: ReadonlyMap<string, Figure>,
  {
    ran,
    all,
    when,
  }: {
    readonly ran: ReadonlySet<string>;
    readonly all: readonly string[];
    readonly when: Pick<Figure, "commit" | "date">;
  },
): string {
  const folders = Map.groupBy(all, folderOf);
  const found = Map.groupBy(verdicts, ({ mutant: { file } }) => folderOf(file));
  const rows = [...folders.keys()].sort().flatMap((folder) => {
    const own = found.get(folder);
    const isWhole = folders.get(folder)?.every((file) => ran.has(file));
    const figure =
      own && isWhole
        ? { mutants: own.length, killed: own.filter(({ killed }) => killed).length, ...when }
        : before.get(folder);
    return figure ? [rowOf(folder, figure)] : [];
  });
  return table(["folder", "faults", "seen", "%", "commit", "date"], rows);
}

function rowOf(folder: string, figure: Figure): string[] {
  const { mutants, killed, commit, date } = figure;
  return [`\`${folder}\``, String(mutants), String(killed), percentOf(figure), commit, date];
}

function percentOf({ mutants, killed }: Figure): string {
  return ((100 * killed) / mutants).toFixed(1);
}

function folderOf(file: string): string {
  return file.split("/").slice(0, -1).slice(0, 2).join("/");
}

/** The figures of a table that `figuresOf` made. */
export function readFigures(text: string): ReadonlyMap<string, Figure> {
  const rows = text.matchAll(/^\| `(\S+)`\s*\| (\d+)\s*\| (\d+)\s*\|[^|]*\| (\S+)\s*\| (\S+)\s*\|$/gm);
  return new Map(
    [...rows].map(([, folder = "", mutants, killed, commit = "", date = ""]) => [
      folder,
      { mutants: Number(mutants), killed: Number(killed), commit, date },
    ]),
  );
}
