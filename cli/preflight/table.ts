import Table from "cli-table3";
import { addressesIn, interfaceNames } from "../live/cached-results.ts";
import { type Style, styled, type Terminal } from "../terminal.ts";
import type { Forecast, Verdict } from "./forecast.ts";

const styles: Readonly<Record<Verdict["is"], Style>> = {
  passes: "green",
  fails: "red",
  unchecked: "yellow",
  gone: "dim",
};

const noLines = Object.fromEntries(
  ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right", "left", "left-mid"]
    .concat(["mid", "mid-mid", "right", "right-mid"])
    .map((name) => [name, ""]),
);

/** The forecasts for people, a line each. A forecast that is not good has a second line with the plugin's own words. */
export function forecastTable(forecasts: readonly Forecast[], terminal: Pick<Terminal, "hasColors">): string {
  const table = new Table({
    head: ["network", "workload", "interfaces", "addresses", "verdict"],
    chars: { ...noLines, middle: "  " },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  for (const { attachment, workload, verdict } of forecasts) {
    const word = styled(terminal, styles[verdict.is], verdict.is);
    table.push([
      attachment.network,
      workload.name,
      interfaceNames(attachment).join(" "),
      addressesIn(attachment).join(" "),
      word,
    ]);
  }
  return table.toString().replace(/ +$/gm, "");
}

/** What an operator must know of each forecast that is not good. */
export function explanations(forecasts: readonly Forecast[]): readonly string[] {
  return forecasts.flatMap(({ attachment, verdict, changed }) => {
    const reason = reasonOf(verdict);
    if (reason === undefined) return [];
    const since = changed.length > 0 ? [`  changed since it started: ${changed.join(", ")}`] : [];
    return [`${attachment.network} ${attachment.containerId} ${verdict.is}: ${reason}`, ...since];
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
