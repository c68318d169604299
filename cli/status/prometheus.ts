import { printable } from "../terminal.ts";
import type { HostStatus } from "./host-status.ts";
import { isSound } from "./installation.ts";

/** The values of a metric, each with its labels. */
type Values = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

const gauges: readonly (readonly [name: string, help: string, valuesOf: (status: HostStatus) => Values])[] = [
  ["status_timestamp_seconds", "When status ended, in seconds since 1970.", ({ time }) => one(Date.parse(time) / 1000)],
  [
    "installation_info",
    "The wrappers in a directory of the plugins. The value is always 1.",
    ({ installations }) => installations.map(({ directory, release }) => [{ directory, ...release }, 1]),
  ],
  [
    "installation_intact",
    "0 if the executable does not answer, is not the one that install wrote, has no link that a list names, may be changed by another user, or is shadowed by another version.",
    ({ installations }) => installations.map((its) => [{ directory: its.directory }, Number(isSound(its))]),
  ],
  [
    "installation_links_missing",
    "Wrappers that a list names and that have no link.",
    ({ installations }) => installations.map(({ directory, links }) => [{ directory }, links.needed.length]),
  ],
  [
    "lists_invalid",
    "Lists that no runtime loads: Nomad does not start with one.",
    ({ lists }) => one(lists.invalid.length),
  ],
  [
    "list_errors",
    "Errors that lint finds in the lists that runtimes load, and what they and their containers lack on this host, and who else may change them.",
    ({ lists }) => one(lists.errors.length),
  ],
  [
    "networks_not_loaded",
    "Networks of the Nomad client's lists that it has not loaded: it needs a reload.",
    ({ agent }) => one(agent.notLoaded.length),
  ],
  ["attachments", "Attachments in libcni's cache.", byNetwork("attachments")],
  [
    "attachments_failing",
    "Attachments whose CHECK fails: the next restart of Nomad would destroy them.",
    byNetwork("failing"),
  ],
  [
    "attachments_outside",
    "Attachments with an address outside of the list's subnets: the next ADD may fail.",
    byNetwork("outside"),
  ],
  [
    "attachments_without_journal",
    "Attachments of a wrapped list without a journal: the wrappers recover nothing of them.",
    byNetwork("withoutJournal"),
  ],
  [
    "orphans",
    "Results whose namespace is gone, and journals of the wrappers without a result.",
    ({ orphans: { results, journals } }) => [
      [{ kind: "result" }, results],
      [{ kind: "journal" }, journals],
    ],
  ],
  [
    "results_unreadable",
    "Lists, results in libcni's cache, journals of the wrappers and others that could not be looked at.",
    ({ unreadable }) => one(unreadable),
  ],
  [
    "nomad_skips_check",
    "1 if Nomad would skip CHECK, because its bridge plugin is missing, does not answer or is too old.",
    ({ nomadSkipsCheck }) => one(Number(nomadSkipsCheck !== null)),
  ],
  [
    "journals_writable",
    "0 if the wrappers cannot write journals: ADD fails.",
    ({ journalProblem }) => one(Number(journalProblem === null)),
  ],
  [
    "narrow_runtimes",
    "Runtimes whose limit of address space ends the Node flavor.",
    ({ narrowRuntimes }) => one(narrowRuntimes.length),
  ],
];

/** The status in Prometheus' text format (exposition formats, text-based format), for node_exporter's textfile collector. */
export function prometheusText(status: HostStatus): string {
  const texts = gauges.map(([name, help, valuesOf]) => metricText("gauge", name, help, valuesOf(status)));
  return [...texts, status.repaired ? repairedText(status.repaired) : ""].join("");
}

function one(value: number): Values {
  return [[{}, value]];
}

function byNetwork(count: "attachments" | "failing" | "outside" | "withoutJournal"): (status: HostStatus) => Values {
  return ({ networks }) => networks.map((its) => [{ network: its.network }, its[count]]);
}

function repairedText({ file, passed, failed }: NonNullable<HostStatus["repaired"]>): string {
  const help = `ADDs that a wrapper repaired, by the lines in ${file}. It starts again at 0 when the log is rotated, as after a restart. With log level error it stays 0.`;
  const values = [[{ outcome: "passed" }, passed] as const, [{ outcome: "failed" }, failed] as const];
  return metricText("counter", "repaired_adds_total", help, values);
}

function metricText(type: "gauge" | "counter", name: string, help: string, values: Values): string {
  const full = `cni_wrappers_${name}`;
  const lines = [`# HELP ${full} ${escaped(help)}`, `# TYPE ${full} ${type}`];
  return [...lines, ...values.map(([labels, value]) => `${full}${labelText(labels)} ${value}`), ""].join("\n");
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

// The format knows \\, \n and, in labels, \". Other control characters get JSON's escapes first, whose backslash is then escaped.
function escaped(text: string): string {
  const lines = text.split("\n").map((line) => printable(line).replaceAll("\\", "\\\\"));
  return lines.join("\\n");
}
