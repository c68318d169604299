import { printable } from "../terminal.ts";
import type { HostStatus } from "./host-status.ts";

/** A metric with its values, as Prometheus' text format has them. */
interface Metric {
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  readonly values: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];
}

/** The status in Prometheus' text format (exposition formats, text-based format), for node_exporter's textfile collector. */
export function prometheusText(status: HostStatus): string {
  return metricsOf(status).map(metricText).join("");
}

function metricsOf(status: HostStatus): readonly Metric[] {
  return [
    gauge("status_timestamp_seconds", "When status ended, in seconds since 1970.", [
      [{}, Date.parse(status.time) / 1000],
    ]),
    ...installationMetrics(status.installations),
    ...listMetrics(status),
    ...attachmentMetrics(status.networks),
    ...hostMetrics(status),
    ...(status.repaired === undefined ? [] : [repairedMetric(status.repaired)]),
  ];
}

function attachmentMetrics(networks: HostStatus["networks"]): readonly Metric[] {
  const ofNetworks = (name: string, help: string, count: (network: HostStatus["networks"][number]) => number) =>
    gauge(
      name,
      help,
      networks.map((one) => [{ network: one.network }, count(one)]),
    );
  return [
    ofNetworks("attachments", "Attachments in libcni's cache.", ({ attachments }) => attachments),
    ofNetworks(
      "attachments_failing",
      "Attachments whose CHECK fails: the next restart of Nomad would destroy them.",
      ({ failing }) => failing,
    ),
    ofNetworks(
      "attachments_outside",
      "Attachments with an address outside of the list's subnets: the next ADD may fail.",
      ({ outside }) => outside,
    ),
    ofNetworks(
      "attachments_without_journal",
      "Attachments of a wrapped list without a journal: the wrappers recover nothing of them.",
      ({ withoutJournal }) => withoutJournal,
    ),
  ];
}

function hostMetrics(status: HostStatus): readonly Metric[] {
  const { orphans, unreadable, nomadSkipsCheck, journalProblem, narrowRuntimes } = status;
  return [
    gauge("orphans", "Results whose namespace is gone, and journals of the wrappers without a result.", [
      [{ kind: "result" }, orphans.results],
      [{ kind: "journal" }, orphans.journals],
    ]),
    gauge(
      "results_unreadable",
      "Lists, results in libcni's cache, journals of the wrappers and others that could not be looked at.",
      [[{}, unreadable]],
    ),
    gauge(
      "nomad_skips_check",
      "1 if Nomad would skip CHECK, because its bridge plugin is missing, does not answer or is too old.",
      [[{}, Number(nomadSkipsCheck !== null)]],
    ),
    gauge("journals_writable", "0 if the wrappers cannot write journals: ADD fails.", [
      [{}, Number(journalProblem === null)],
    ]),
    gauge("narrow_runtimes", "Runtimes whose limit of address space ends the Node flavor.", [
      [{}, narrowRuntimes.length],
    ]),
  ];
}

function listMetrics({ lists, agent }: HostStatus): readonly Metric[] {
  return [
    gauge("lists_invalid", "Lists that no runtime loads: Nomad does not start with one.", [[{}, lists.invalid.length]]),
    gauge(
      "list_errors",
      "Errors that lint finds in the lists that runtimes load, and what they and their containers lack on this host.",
      [[{}, lists.errors.length]],
    ),
    gauge("networks_not_loaded", "Networks of the Nomad client's lists that it has not loaded: it needs a reload.", [
      [{}, agent.notLoaded.length],
    ]),
  ];
}

function installationMetrics(installations: HostStatus["installations"]): readonly Metric[] {
  return [
    gauge(
      "installation_info",
      "The wrappers in a directory of the plugins. The value is always 1.",
      installations.map(({ directory, release }) => [{ directory, ...release }, 1]),
    ),
    gauge(
      "installation_intact",
      "0 if the executable does not answer, is not the one that install wrote, has no link that a list names, or is shadowed by another version.",
      installations.map(({ directory, state }) => [{ directory }, Number(state === "intact" || state === "unknown")]),
    ),
    gauge(
      "installation_links_missing",
      "Wrappers that a list names and that have no link.",
      installations.map(({ directory, links }) => [{ directory }, links.needed.length]),
    ),
  ];
}

function gauge(name: string, help: string, values: Metric["values"]): Metric {
  return { name, type: "gauge", help, values };
}

function repairedMetric({ file, passed, failed }: NonNullable<HostStatus["repaired"]>): Metric {
  return {
    name: "repaired_adds_total",
    type: "counter",
    help: `ADDs that a wrapper repaired, by the lines in ${file}. It starts again at 0 when the log is rotated, as after a restart. With log level error it stays 0.`,
    values: [
      [{ outcome: "passed" }, passed],
      [{ outcome: "failed" }, failed],
    ],
  };
}

function metricText({ name, type, help, values }: Metric): string {
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
