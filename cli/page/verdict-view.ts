import { leftWords } from "../explain/left.ts";
import { attachedOnce, type EventName, events, type Outcome } from "../explain/verdict.ts";
import { notSent } from "../live/libcni.ts";
import type { Answers } from "./answers.ts";
import { byId, element, show } from "./elements.ts";

/** What happens in an event, in words for people who do not know ours. */
const meanings: Readonly<Record<EventName, string>> = {
  start: "a container starts (ADD)",
  second: "another container starts",
  restart: "the runtime restarts, and asks whether the container's network is whole (CHECK)",
  joined: "the same, after the other container started",
  retry: "ADD again, after the last plugin failed once",
  twice: "the list attached to the container once more, as net1",
  reboot: "the container starts after a reboot of the host",
  stop: "the container stops (DEL)",
  gone: "DEL, after the container's namespace is gone",
};

const marks = { good: "✓", bad: "✗", open: "?", aside: "–" } as const;

/** Shows the verdict. */
export function showVerdict({ problem, list, outcomes }: Answers): void {
  const [kind, summary] = problem === undefined ? summaryOf(outcomes) : (["open", problem] as const);
  const status = byId("summary");
  status.className = kind;
  status.replaceChildren(element("span", { "aria-hidden": "true" }, `${marks[kind]} `), summary);
  const rows = events.flatMap((event) => outcomes.find((one) => one.event === event) ?? []).map(rowOf);
  byId("events").replaceChildren(...rows);
  show("events-table", rows.length > 0);
  const reason = list && outcomes.some(({ passes }) => passes) ? notSent(list, "CHECK") : undefined;
  byId("not-sent").textContent = reason === undefined ? "" : `A runtime does not send CHECK: ${reason}.`;
}

type Kind = keyof typeof marks;

function summaryOf(outcomes: readonly Outcome[]): readonly [Kind, string] {
  const counted = outcomes.filter(({ event }) => event !== "twice");
  const failed = counted.find(({ passes }) => passes === false);
  if (failed) return ["bad", `It fails${at(failed)}${failed.event === "start" ? "" : `: ${meanings[failed.event]}`}.`];
  const unknown = counted.find(({ passes }) => passes === undefined);
  if (unknown) return ["open", `Not known: ${unknown.message ?? ""}.`];
  return ["good", "All of it passes."];
}

function at({ type }: Outcome): string {
  return type === undefined ? "" : ` at ${type}`;
}

function kindOf({ event, passes }: Outcome): Kind {
  if (passes === undefined) return "open";
  if (passes) return "good";
  return event === "twice" ? "aside" : "bad";
}

function rowOf(outcome: Outcome): HTMLElement {
  const { event, message, leaves } = outcome;
  const kind = kindOf(outcome);
  const words = {
    open: "not known",
    good: "passes",
    bad: `fails${at(outcome)}`,
    aside: `fails${at(outcome)}: ${attachedOnce}`,
  };
  const left = leftWords(leaves);
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, element("strong", {}, event), element("span", {}, ` ${meanings[event]}`)),
    element(
      "td",
      {},
      element("span", { class: kind }, element("span", { "aria-hidden": "true" }, `${marks[kind]} `), words[kind]),
      message === undefined ? undefined : element("div", { class: "message" }, message),
      left === "" ? undefined : element("div", { class: "message" }, `leaves ${left}`),
    ),
  );
}
