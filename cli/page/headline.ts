import { counted, type EventName, type Outcome } from "../explain/verdict.ts";

/** How a headline is marked. `rare`: everyday events pass, and another one fails. */
export type Kind = "good" | "bad" | "rare" | "open";

/** When an event happens, as a part of a sentence. */
const clauses: Readonly<Record<EventName, string>> = {
  start: "when a container starts",
  second: "when another container starts",
  restart: "when the runtime restarts",
  joined: "when another container has started and the runtime restarts",
  retry: "when ADD runs again after the last plugin failed once",
  twice: "when the list is attached to the container once more",
  reboot: "when the container starts after a reboot of the host",
  stop: "when the container stops",
  gone: "when the container stops after its namespace is gone",
};

/** The events that do not happen to every container. */
const rare: readonly EventName[] = ["joined", "retry", "reboot"];

/** Says in one or two sentences how the events of a list end. `wrapped` tells whether the wrapped list, which is shown, passes. */
export function headlineOf(outcomes: readonly Outcome[], wrapped?: boolean): readonly [Kind, string] {
  const all = counted(outcomes);
  const failed = all.filter(({ passes }) => passes === false);
  const unknown = all.find(({ passes }) => passes === undefined);
  const [first] = failed;
  const ofWrapped = wrapped === undefined ? "" : ` The wrapped list below ${wrapped ? "passes" : "fails, too"}.`;
  if (!first && unknown) return ["open", `Not known: ${unknown.message ?? ""}. On a host, cni-wrappers try shows it.`];
  if (!first) return ["good", "All of it passes."];
  if (!unknown && failed.every(({ event }) => rare.includes(event))) {
    const everyday = all.some(({ event }) => event === "restart") ? "Starts, restarts and stops" : "Starts and stops";
    return ["rare", `${everyday} pass. ${failuresOf(failed)}${ofWrapped}`];
  }
  const when = first.event === "start" ? "" : ` ${clauses[first.event]}`;
  return ["bad", `It fails${first.type === undefined ? "" : ` at ${first.type}`}${when}.${ofWrapped}`];
}

function failuresOf(failed: readonly Outcome[]): string {
  const byType = Map.groupBy(failed, ({ type = "It" }) => type);
  const sentences = [...byType].map(([type, those]) => {
    return `${type} fails ${those.map(({ event }) => clauses[event]).join(", and ")}.`;
  });
  return sentences.join(" ");
}
