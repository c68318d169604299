import { writeSection } from "../../../build/docs/page-section.ts";
import { table } from "../../../build/docs/table.ts";
import { isIn } from "../../../conformance/case.ts";
import { conformanceCases } from "../../../conformance/cases.ts";
import { sampleOf } from "../../../conformance/run.ts";
import { specVersions } from "../../../conformance/specification.ts";
import {
  type Committed,
  committedOf,
  type Failures,
  isFailed,
  lineOf,
  merged,
  namesOf,
  readCommitted,
  titleOf,
  writeCommitted,
} from "./results.ts";
import { type Ended, versionsSince } from "./run.ts";
import { setups } from "./setups.ts";

/** Puts the results into results.json and into the page. The results of plugins that did not run stay. */
export function writeReport(ended: readonly Ended[]): void {
  const committed = merged(readCommitted(), committedOf(ended));
  writeCommitted(committed);
  writeSection("conformance", failureTable(committed));
  writeSection("conformance-cases", caseTable());
}

/** The page's table of what fails. */
export function failureTable({ cases, plain, wrapped }: Committed): string {
  const failing = conformanceCases.filter(({ name }) => plain[name] || wrapped[name]);
  const rows = failing.map(({ name, section, level }) => {
    const all = Object.keys(cases).filter((plugin) => cases[plugin]?.includes(name));
    return [name, section, level, cell(plain[name], all, name), cell(wrapped[name], all, name)];
  });
  return table(["case", "section", "level", "plain plugins that fail", "wrapped"], rows);
}

/** The plugins, with their versions if it is not every version of the case. */
function cell(failed: Failures[string] | undefined, all: readonly string[], name: string): string {
  if (failed === undefined) return "none";
  const given = conformanceCases.find((each) => each.name === name);
  const versions = specVersions.filter((version) => given && isIn(given, version));
  const groups = Map.groupBy(Object.keys(failed), (plugin) => {
    const own = (failed[plugin] ?? []).join(", ");
    return own === sampleOf(versionsSince(versions, setups[plugin]?.since)).join(", ") ? "" : ` (${own})`;
  });
  return [...groups]
    .map(([some, plugins]) => {
      const who = plugins.length === all.length && all.length > 1 ? `all ${all.length}` : plugins.join(", ");
      return `${who}${some}`;
    })
    .join("; ");
}

/** The page's table of the cases. */
export function caseTable(): string {
  const rows = conformanceCases.map(({ name, section, level, concerns, since, until = "1.1.0" }) => [
    name,
    section,
    level,
    concerns === "ipam" ? "interface, with IPAM" : concerns,
    since === until ? since : `${since} to ${until}`,
  ]);
  return table(["case", "section", "level", "plugins", "versions"], rows);
}

/** The figures of a run, and the failures. */
export function summary(ended: readonly Ended[], withFailures: boolean): string {
  const titles = [...new Set(ended.map(titleOf))];
  const rows = titles.map((title) => {
    const own = ended.filter((each) => titleOf(each) === title);
    const failed = own.filter(isFailed).length;
    return [title, `${namesOf(own).length}`, `${own.length}`, `${own.length - failed}`, `${failed}`];
  });
  const failed = ended.filter(isFailed).map(lineOf);
  const text = table(["plugin", "cases", "runs", "pass", "fail"], rows.toSorted());
  return withFailures ? [text, "", ...failed].join("\n") : text;
}
