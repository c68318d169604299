import { describe, expect, test } from "vitest";
import { type EventName, events, type Outcome } from "../../../cli/explain/verdict.ts";
import { headlineOf } from "../../../cli/page/headline.ts";

function outcomes(...failed: readonly EventName[]): Outcome[] {
  return events.map((event) => {
    return failed.includes(event)
      ? { event, passes: false, type: "bridge", message: "no", leaves: [] }
      : { event, passes: true, leaves: [] };
  });
}

describe("the headline", () => {
  test("everything passes, and a second attachment does not count", () => {
    expect(headlineOf(outcomes())).toEqual(["good", "All of it passes."]);
    expect(headlineOf(outcomes("twice"))).toEqual(["good", "All of it passes."]);
  });

  test("a failure of every container is a failure, with a clause for the event", () => {
    expect(headlineOf(outcomes("start", "retry"))).toEqual(["bad", "It fails at bridge."]);
    expect(headlineOf(outcomes("restart", "retry"))).toEqual(["bad", "It fails at bridge when the runtime restarts."]);
    expect(headlineOf(outcomes("second"), true)).toEqual([
      "bad",
      "It fails at bridge when another container starts. The wrapped list below passes.",
    ]);
    expect(headlineOf(outcomes("stop"))).toEqual(["bad", "It fails at bridge when the container stops."]);
    expect(headlineOf(outcomes("gone"))).toEqual([
      "bad",
      "It fails at bridge when the container stops after its namespace is gone.",
    ]);
  });

  test("a wrapped list that fails, too, is said to", () => {
    expect(headlineOf(outcomes("start"), false)).toEqual([
      "bad",
      "It fails at bridge. The wrapped list below fails, too.",
    ]);
  });

  test("a failure of few containers says first what passes", () => {
    expect(headlineOf(outcomes("retry", "reboot"), true)).toEqual([
      "rare",
      "Starts, restarts and stops pass. bridge fails when ADD runs again after the last plugin failed once, and when the container starts after a reboot of the host. The wrapped list below passes.",
    ]);
    const unchecked = outcomes("joined").filter(({ event }) => event !== "restart");
    expect(headlineOf(unchecked)).toEqual([
      "rare",
      "Starts and stops pass. bridge fails when another container has started and the runtime restarts.",
    ]);
  });

  test("each plugin that fails rarely has its sentence, and a runtime that refuses none has no name", () => {
    const [joined, retry] = [outcomes("joined"), outcomes("retry")].map((all) => all.filter(({ passes }) => !passes));
    const others = outcomes().filter(({ event }) => event !== "joined" && event !== "retry");
    const nameless = retry?.map(({ type: _, ...rest }) => rest) ?? [];
    expect(headlineOf([...others, ...(joined ?? []), ...nameless])[1]).toBe(
      "Starts, restarts and stops pass. bridge fails when another container has started and the runtime restarts. It fails when ADD runs again after the last plugin failed once.",
    );
  });

  test("what is not known, and what fails even so", () => {
    const unknown: Outcome = { event: "reboot", passes: undefined, message: "calico is unknown", leaves: [] };
    expect(headlineOf([...outcomes("retry").slice(0, -3), unknown])).toEqual([
      "bad",
      "It fails at bridge when ADD runs again after the last plugin failed once.",
    ]);
    expect(headlineOf([{ event: "start", passes: undefined, message: "calico is unknown", leaves: [] }])).toEqual([
      "open",
      "Not known: calico is unknown. On a host, cni-wrappers try shows it.",
    ]);
  });
});
