import { addressesIn, interfaceNames } from "../live/cached-results.ts";
import type { Verdict } from "../live/check.ts";
import { plainTable } from "../plain-table.ts";
import { oneLine, type Style, styled, type Terminal } from "../terminal.ts";
import type { Forecast } from "./host-report.ts";

const styles: Readonly<Record<Verdict["is"], Style>> = {
  passes: "green",
  fails: "red",
  unchecked: "yellow",
  gone: "dim",
};

/** The forecasts for people, a line each. A forecast that is not good has a second line with the plugin's own words. */
export function forecastTable(forecasts: readonly Forecast[], terminal: Pick<Terminal, "hasColors">): string {
  const rows = forecasts.map(({ attachment, workload, verdict }) => [
    attachment.network,
    workload.name,
    interfaceNames(attachment).join(" "),
    addressesIn(attachment).join(" "),
    styled(terminal, styles[verdict.is], verdict.is),
  ]);
  return plainTable(["network", "workload", "interfaces", "addresses", "verdict"], rows);
}

/** What an operator must know of each forecast that is not good. */
export function explanations(forecasts: readonly Forecast[]): readonly string[] {
  return forecasts.flatMap(({ attachment, verdict, changed, isAdoptable }) => {
    const reason = reasonOf(verdict);
    if (reason === undefined) return [];
    const since = changed.length > 0 ? [`  changed since it started: ${changed.join(", ")}`] : [];
    const hint = isAdoptable ? ["  cni-wrappers adopt can complete its result"] : [];
    const title = `${attachment.network} ${attachment.containerId} ${verdict.is}: ${reason}`;
    return [title, ...since, ...hint].map(oneLine);
  });
}

function reasonOf(verdict: Verdict): string | undefined {
  switch (verdict.is) {
    case "passes":
      return undefined;
    case "gone":
      return "its namespace is gone";
    case "unchecked":
      return verdict.why;
    case "fails":
      return verdict.plugin === undefined ? verdict.error : `${verdict.plugin}: ${verdict.error}`;
    default:
      return verdict satisfies never;
  }
}
