import { type Bar, chartOf, type Group } from "./chart.ts";
import { type Report, type Row, rowOf } from "./report.ts";

/** The plot for docs/benchmarks.md: one call, and the whole CHECK of a container. Undefined if neither was timed. */
export function plotOf({ calls, chains, machine }: Report): string | undefined {
  const groups = [
    groupOf("CHECK handed over to a plugin that does nothing", rowOf(calls?.rows, "CHECK chained")),
    groupOf("go-cni CHECK of two interfaces, real plugins", rowOf(chains?.rows, "two interfaces")),
  ].flatMap((group) => group ?? []);
  if (groups.length === 0) return undefined;
  const { cores, architecture, kernel } = machine;
  return chartOf(`Medians on ${cores} cores, ${architecture}, Linux ${kernel}; logarithmic`, groups);
}

const ours = ["slim", "slim, musl", "Node flavor"];

function groupOf(title: string, row: Row | undefined): Group | undefined {
  if (!row) return undefined;
  const bars = row.timings.map(
    ({ peer, wallMs }): Bar => ({ label: peer, value: wallMs.median, isOurs: ours.includes(peer) }),
  );
  return { title, bars };
}
