import { barePlugins, muslFloor } from "./names.ts";
import { type Report, type Row, rowOf, timingOfPeer } from "./report.ts";

/** An aim for a figure, in elapsed time and in processor time. A busy machine distorts processor time less. */
export interface Aim {
  readonly title: string;
  readonly most?: number;
  readonly least?: number;
  readonly found: number | undefined;
  readonly ofCpu?: number | undefined;
}

/** Whether a figure meets its aim; undefined if it was not measured. */
export function isMet({ found, most = Number.POSITIVE_INFINITY, least = Number.NEGATIVE_INFINITY }: Aim) {
  return found === undefined ? undefined : found <= most && found >= least;
}

/** Compares the figures with the aims. */
export function aimsOf(report: Report): Aim[] {
  return [...callAims(report), ...footprintAims(report), ...chainAims(report), ...scaleAims(report)];
}

const handOvers = ["CHECK first", "CHECK chained"];

// The CHECK that is further from the aim counts.
function callAims({ calls }: Report): Aim[] {
  const rows = handOvers.flatMap((title) => rowOf(calls?.rows, title) ?? []);
  const peers = new Set(rows.flatMap(({ timings }) => timings.map(({ peer }) => peer)));
  const scripts = [...peers].filter((peer) => peer.startsWith("bash"));
  const later = scripts.filter((peer) => !isOld(peer));
  return [
    ...slimsIn(rows).flatMap((slim) => [
      { title: `CHECK: ${slim} ÷ floor`, most: 3.5, ...extreme(Math.max, rows, [slim], ["floor"]) },
      { title: `CHECK: bash + later jq ÷ ${slim}`, least: 3, ...extreme(Math.min, rows, later, [slim]) },
      { title: `CHECK: bash + jq 1.6 ÷ ${slim}`, least: 8, ...extreme(Math.min, rows, scripts.filter(isOld), [slim]) },
    ]),
    { title: "CHECK: slim, musl ÷ floor, musl", most: 5, ...extreme(Math.max, rows, ["slim, musl"], [muslFloor]) },
    { title: "CHECK: Node flavor ÷ empty SEA", most: 1.2, ...extreme(Math.max, rows, ["Node flavor"], ["empty SEA"]) },
  ];
}

/** Releases are built for musl. Their flavor has aims if it was timed. */
function slimsIn(rows: readonly Row[]): readonly string[] {
  return rows.some((row) => timingOfPeer(row, "slim, musl")) ? ["slim", "slim, musl"] : ["slim"];
}

function isOld(script: string): boolean {
  return script.endsWith("jq 1.6");
}

function footprintAims({ calls }: Report): Aim[] {
  const [slim, musl] = ["slim", "slim, musl"].map((name) => calls?.footprints.find(({ peer }) => peer === name));
  return [
    { title: "slim: memory, MB", most: 3, found: slim?.peakMB },
    { title: "slim, static glibc: size, MB", most: 3.3, found: slim?.sizeMB },
    { title: "slim, musl: size, MB", most: 2.5, found: musl?.sizeMB },
  ];
}

function chainAims({ chains }: Report): Aim[] {
  return slimsIn(chains?.rows ?? []).flatMap((slim) =>
    ["two", "eight"].flatMap((count) => {
      const rows = [rowOf(chains?.rows, `${count} interfaces`)].flatMap((row) => row ?? []);
      const title = (reference: string) => `go-cni CHECK of ${count}: ${slim} ÷ ${reference}`;
      return [
        { title: title(barePlugins), most: 1.12, ...extreme(Math.max, rows, [slim], [barePlugins]) },
        { title: title("multus"), most: 0.55, ...extreme(Math.max, rows, [slim], ["multus"]) },
      ];
    }),
  );
}

function scaleAims({ growth, atOnce }: Report): Aim[] {
  const crowd = atOnce?.find(({ calls }) => calls === 64);
  const index = crowd?.timings.findIndex(({ peer }) => peer === "slim") ?? -1;
  return [
    { title: "slim: 128 interfaces ÷ 2", most: 1.5, ...ratioOf(growth?.interfaces, "128 interfaces", "2 interfaces") },
    { title: "slim: 64 at once ÷ (64 × one's CPU time ÷ cores)", most: 1.2, found: crowd?.load[index] },
  ];
}

/** The ratio of slim's time in one row to that in another. */
function ratioOf(rows: readonly Row[] | undefined, large: string, small: string) {
  const [one, other] = [large, small].map((title) => timingOfPeer(rowOf(rows, title), "slim"));
  const of = (time: "wallMs" | "cpuMs") => one && other && one[time].median / other[time].median;
  return { found: of("wallMs"), ofCpu: of("cpuMs") };
}

type Extreme = typeof Math.max;

/** The extreme ratio of one of these peers to one of those, in any row; undefined if none was timed. */
function extreme(pick: Extreme, rows: readonly Row[], these: readonly string[], those: readonly string[]) {
  const ratios = (time: "wallMs" | "cpuMs") =>
    rows.flatMap((row) =>
      these.flatMap((one) =>
        those.flatMap((other) => {
          const [a, b] = [timingOfPeer(row, one), timingOfPeer(row, other)];
          return a && b ? [a[time].median / b[time].median] : [];
        }),
      ),
    );
  const of = (time: "wallMs" | "cpuMs") => (ratios(time).length > 0 ? pick(...ratios(time)) : undefined);
  return { found: of("wallMs"), ofCpu: of("cpuMs") };
}
