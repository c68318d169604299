import { addressesIn } from "../../shared/delegate/taken-addresses.ts";
import { alike, mostShown, othersLine } from "../live/alike.ts";
import { interfaceNames } from "../live/cached-results.ts";
import type { Verdict } from "../live/check.ts";
import { lookedAtLines } from "../live/every-attachment.ts";
import { plainTable } from "../plain-table.ts";
import { type Colors, jsonText, oneLine, type Style, styled } from "../terminal.ts";
import type { Forecast, HostReport } from "./forecasts.ts";

/** The report for people: a table, the reasons, what belongs to no attachment, and a line that sums up. */
export function preflightText(
  { forecasts, strays, lookedAt, nomadSkipsCheck, unsaved }: HostReport,
  terminal: Colors,
): string {
  const groups = alike(forecasts, ({ attachment, verdict, changed, isAdoptable }) => [
    attachment.network,
    verdict.is,
    reasonOf(verdict),
    changed,
    isAdoptable,
  ]);
  const reasons = groups.flatMap(explanation);
  const journals = strays.memories.map(({ file }) => file);
  const parts = [
    forecasts.length === 0 ? "There is no attachment to check." : forecastTable(groups, terminal),
    ...(reasons.length > 0 ? [reasons.join("\n")] : []),
    ...strayLines("namespace without an attachment", strays.namespaces),
    ...strayLines("journal without an attachment", journals),
    ...(nomadSkipsCheck ? [`Nomad would skip CHECK: ${nomadSkipsCheck.reason}; ${nomadSkipsCheck.cure}`] : []),
    ...unsavedLines(unsaved.length),
    lookedAtLines(lookedAt).join("\n"),
    ...(forecasts.length === 0 ? [] : [summaryOf(forecasts)]),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** The same as JSON. */
export function preflightJson({ origin, forecasts, lookedAt, nomadSkipsCheck, strays, ...rest }: HostReport): string {
  const attachments = forecasts.map(({ attachment, workload, verdict, changed, isAdoptable }) => ({
    network: attachment.network,
    containerId: attachment.containerId,
    workload,
    ifName: attachment.runtimeIfName,
    netns: attachment.netns,
    interfaces: interfaceNames(attachment),
    addresses: addressesIn(attachment.result),
    verdict,
    changed,
    adoptable: isAdoptable,
  }));
  // A journal has the plugins' configurations, with any secret in them.
  const { namespaces, memories } = strays;
  return jsonText({
    ...origin,
    ...rest,
    ...lookedAt,
    strays: { namespaces, journals: memories.map(({ file }) => file) },
    attachments,
    nomadSkipsCheck: nomadSkipsCheck?.reason ?? null,
  });
}

function summaryOf(forecasts: readonly Forecast[]): string {
  const count = (is: string) => forecasts.filter(({ verdict }) => verdict.is === is).length;
  const words = ["fails", "unchecked", "gone"].map((is) => [count(is), is] as const).filter(([number]) => number > 0);
  const rest = words.map(([number, is]) => `, ${number} ${number > 1 && is === "fails" ? "fail" : is}`).join("");
  return `${count("passes")} of ${forecasts.length} pass${rest}`;
}

function strayLines(title: string, names: readonly string[]): readonly string[] {
  return names.length > 0 ? [names.map((name) => `${title}: ${oneLine(name)}`).join("\n")] : [];
}

function unsavedLines(count: number): readonly string[] {
  if (count === 0) return [];
  const [are, them] = count === 1 ? ["container is", "it"] : ["containers are", "them"];
  return [
    `${count} ${are} younger than a minute: Nomad has perhaps not saved ${them}; stop the client with SIGTERM (systemctl stop nomad), not with SIGKILL`,
  ];
}

const styles: Readonly<Record<Verdict["is"], Style>> = {
  passes: "green",
  fails: "red",
  unchecked: "yellow",
  gone: "dim",
};

type Group = readonly [Forecast, ...Forecast[]];

/** The forecasts for people, a line each. Of many with one reason, which names them, there is one line. */
function forecastTable(groups: readonly Group[], terminal: Colors): string {
  const rows = groups.flatMap((group) => {
    const [{ attachment, verdict }] = group;
    const end = styled(terminal, styles[verdict.is], verdict.is);
    if (group.length > mostShown && reasonOf(verdict) !== undefined)
      return [[attachment.network, `${group.length} attachments`, "", "", end]];
    return group.map((one) => [
      one.attachment.network,
      one.workload.name,
      interfaceNames(one.attachment).join(" "),
      addressesIn(one.attachment.result).join(" "),
      end,
    ]);
  });
  return plainTable(["network", "workload", "interfaces", "addresses", "verdict"], rows);
}

/** What an operator must know of the forecasts of one cause; nothing if they are good. */
function explanation([first, ...others]: Group): readonly string[] {
  const { attachment, verdict, changed, isAdoptable } = first;
  const reason = reasonOf(verdict);
  if (reason === undefined) return [];
  const names = others.map(({ workload }) => workload.name);
  const since = changed.length > 0 ? [`  changed since it started: ${changed.join(", ")}`] : [];
  const cure = verdict.is === "fails" && verdict.cure !== undefined ? [`  ${verdict.cure}`] : [];
  const hint = isAdoptable ? ["  cni-wrappers adopt can complete its result"] : cure;
  const title = `${attachment.network} ${attachment.containerId} ${verdict.is}: ${reason}`;
  return [title, ...othersLine(attachment.network, names), ...since, ...hint].map(oneLine);
}

function reasonOf(verdict: Verdict): string | undefined {
  switch (verdict.is) {
    case "passes":
      return [...(verdict.outside ?? []), ...(verdict.dropped ?? [])].join("; ") || undefined;
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
