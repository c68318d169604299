// Compares the wrappers with everything else that allows two interface plugins in one list: the same chains, plugins
// and Nomad for all. Each run measures every cell. `--json` prints data. `--write` puts the table into
// docs/alternatives.md. `--row TEXT` asks only the questions whose titles contain this text.

import { execa } from "execa";
import { writeSection } from "../../../build/docs/page-section.ts";
import { text as anyText, given } from "../../support/given.ts";
import { say } from "../../support/progress.ts";
import { nomadVersion, pinnedVersion, sentence } from "../../support/versions.ts";
import { add, checkRows, delRows } from "./attachments.ts";
import type { Contestant } from "./contestant.ts";
import { contestants } from "./contestants.ts";
import { size, timeChecks } from "./cost.ts";
import { recoveryRows } from "./recovery.ts";
import { comparisonTable, type RowReport } from "./report.ts";
import { restartRows } from "./restarts.ts";
import { resultRows } from "./results.ts";
import { type Cell, comparedPlugins, type Measure, type Rows } from "./row.ts";

/** With `row`, only the rows whose titles contain this text, without times and sizes. */
const options = given({ json: false, write: false, row: anyText });

const rows: Rows = { ...checkRows, ...restartRows, ...resultRows, ...recoveryRows, ...delRows };
const addTitle = "ADD of two interface plugins";

const notAttached: Cell = { words: "-", notes: ["ADD fails, so there is nothing to measure."] };

async function askAll(title: string, all: readonly Contestant[], measure: Measure): Promise<RowReport> {
  const cells: Record<string, Cell> = {};
  for (const contestant of all) {
    const cell = await measure(contestant).catch((error: Error) => {
      throw new Error(`${title}: ${contestant.title}: ${error.message}`);
    });
    say(`${title}: ${contestant.title}: ${[cell.words, ...(cell.notes ?? [])].join("; ")}`);
    cells[contestant.title] = cell;
  }
  return { title, cells };
}

/** All contestants that can attach their own list. */
function attachable(all: readonly Contestant[], { cells }: RowReport): Set<Contestant> {
  return new Set(all.filter(({ title }) => /\bpasses\b/.test(cells[title]?.words ?? "")));
}

async function timing(all: readonly Contestant[], able: ReadonlySet<Contestant>): Promise<RowReport> {
  const timed = await timeChecks([...able]);
  const cells = all.map((contestant) => [contestant.title, timed.get(contestant) ?? notAttached] as const);
  return { title: "ten CHECKs ÷ those of the plain bridge alone", cells: Object.fromEntries(cells) };
}

interface Report {
  readonly versions: Readonly<Record<string, string>>;
  readonly contestants: readonly string[];
  readonly rows: readonly RowReport[];
}

async function versionsOf(): Promise<Report["versions"]> {
  const { stdout: jq } = await execa("jq", ["--version"]);
  return {
    "reference plugins": comparedPlugins,
    "go-cni": pinnedVersion("support/drivers", "github.com/containerd/go-cni"),
    Nomad: await nomadVersion(),
    jq: jq.replace("jq-", ""),
  };
}

async function compare(only: string | undefined): Promise<Report> {
  if (only !== undefined && options.write) throw new Error("--write needs the whole table: leave out --row");
  const chosen = Object.entries(rows).filter(([title]) => title.includes(only ?? ""));
  if (chosen.length === 0 && !addTitle.includes(only ?? "")) throw new Error(`no row has ${only} in its title`);
  const all = await contestants();
  const added = await askAll(addTitle, all, add);
  const able = attachable(all, added);
  const reports = [added];
  for (const [title, measure] of chosen) {
    const ofAble: Measure = async (contestant) => (able.has(contestant) ? measure(contestant) : notAttached);
    reports.push(await askAll(title, all, ofAble));
  }
  // The timing comes last, when nothing else runs.
  if (only === undefined) reports.push(await timing(all, able), await askAll("size", all, size));
  return { versions: await versionsOf(), contestants: all.map(({ title }) => title), rows: reports };
}

try {
  const report = await compare(options.row);
  const text = `${sentence(report.versions)}\n\n${comparisonTable(report.contestants, report.rows)}`;
  console.log(options.json ? JSON.stringify(report, null, 2) : text);
  if (options.write) writeSection("compare", text);
} catch (error) {
  say(`compare: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
