import type { CniResult } from "../../shared/protocol/result.ts";
import { alike, othersLine } from "../live/alike.ts";
import { type Colors, jsonText, oneLine, styled } from "../terminal.ts";
import { diffText } from "../wrap/change.ts";
import type { Undone } from "./adoption.ts";
import type { Case, Proposal } from "./proposal.ts";

/** The proposals for people: what is added to each result, `where` adopt looked, and a line that sums up. */
export function textFor(
  cases: readonly Case[],
  { isWritten, where }: { readonly isWritten: boolean; readonly where: string },
  terminal: Colors,
): string {
  const groups = alike(cases.filter(needsWords), ({ attachment, proposal }) => [
    attachment.network,
    proposal.is === "adoptable" ? changeOf(attachment, proposal.result, plain).match(/^[+-] .*/gm) : proposal,
  ]);
  const parts = groups.map(([first, ...others]) => {
    const names = others.map(({ workload }) => workload.name);
    const more = othersLine(first.attachment.network, names);
    return [caseText(first, isWritten, terminal), ...more].join("\n");
  });
  return [...parts, where, summaryOf(cases, isWritten)].map((part) => `${part}\n`).join("\n");
}

const plain = { hasColors: false };

/** The proposals as JSON. */
export function jsonOf(cases: readonly Case[], isWritten: boolean): string {
  const data = cases.map(({ attachment, workload, proposal }) => {
    const { network, containerId, runtimeIfName: ifName, file } = attachment;
    // A journal has the plugins' configurations, with any secret in them.
    const ofAdoptable = proposal.is === "adoptable" && { journal: proposal.journal?.file, adopted: isWritten };
    return { network, containerId, ifName, file, workload, ...proposal, ...ofAdoptable };
  });
  return jsonText(data);
}

/** How `--undo` ended, a line for each file. */
export function undoneText(undone: readonly (readonly [string, Undone])[]): string {
  if (undone.length === 0) return "There is no backup.\n";
  return undone.map(([file, how]) => `${oneLine(file)}: ${undoneWords[how]}\n`).join("");
}

const undoneWords: Readonly<Record<Undone, string>> = {
  restored: "restored",
  gone: "the container is gone; the backup is removed",
  lost: "the result is gone, and the container is not; its backup stays",
  "changed since": "it changed since adopt, so it stays as it is",
  needed:
    "CHECK of the list in place would fail with the old result, so it stays as it is; put the old list in place first",
  unasked: "CHECK cannot be asked about the old result, so it stays as it is",
  failed: "it cannot be restored, so its backup stays",
  unreadable: "its backup cannot be read, so it stays as it is",
};

/** A case with something to say. */
interface Told extends Case {
  readonly proposal: Exclude<Proposal, { readonly is: "fine" | "unchecked" }>;
}

function needsWords(one: Case): one is Told {
  return one.proposal.is !== "fine" && one.proposal.is !== "unchecked";
}

function caseText(one: Told, isWritten: boolean, terminal: Colors): string {
  const { attachment, workload, proposal } = one;
  const title = oneLine(`${attachment.network} ${workload.name}`);
  if (proposal.is === "lost") {
    const { error, cure = "Replace the container, or undo what changed in its list" } = proposal;
    return `${title}: CHECK fails, and no result makes it pass: ${oneLine(error)}\n  ${oneLine(cure)}`;
  }
  if (proposal.is === "later")
    return `${title}: can be adopted when the new list is in place; before, CHECK of the list in place would fail: ${oneLine(proposal.error)}`;
  if (proposal.is === "unseen")
    return `${title}: nobody can tell whether it can be adopted: ${oneLine(proposal.error)}`;
  if (proposal.is === "unwritten") return `${title}: not adopted: ${oneLine(proposal.error)}`;
  const { journal, result } = proposal;
  return [
    `${title}: ${isWritten ? "adopted" : "can be adopted"}`,
    changeOf(attachment, result, terminal),
    ...(journal ? [styled(terminal, "green", `+ ${oneLine(journal.file)}`)] : []),
  ].join("\n");
}

function changeOf({ file, result }: Case["attachment"], after: CniResult, terminal: Colors): string {
  // An entry of a list that gets a follower must not count as changed because of its comma.
  const [before, now] = [result, after].map((one) => jsonText(one).replace(/,$/gm, ""));
  return diffText(oneLine(file), before ?? "", now ?? "", terminal).trimEnd();
}

function summaryOf(cases: readonly Case[], isWritten: boolean): string {
  const count = (is: Proposal["is"]) => cases.filter(({ proposal }) => proposal.is === is).length;
  const curable = cases.filter(({ proposal }) => proposal.is === "lost" && proposal.cure !== undefined).length;
  return [
    `${count("fine")} pass CHECK`,
    `${count("adoptable")} ${isWritten ? "adopted" : "can be adopted"}`,
    ...some(count("later"), "when the new list is in place"),
    `${count("lost") - curable} cannot be helped`,
    ...some(curable, "need another cure"),
    ...some(count("unseen"), "cannot be looked at"),
    ...some(count("unwritten"), "could not be written"),
    ...some(count("unchecked"), "are not checked"),
  ].join(", ");
}

function some(count: number, words: string): readonly string[] {
  return count > 0 ? [`${count} ${words}`] : [];
}
