import { expect, test } from "vitest";
import { table } from "../../build/docs/table.ts";
import type { NomadLab } from "./nomad-lab.ts";
import { type Outcome, outcomeIn, outcomesIn } from "./outcome.ts";
import { changeStates } from "./states/changes.ts";
import { listStates } from "./states/lists.ts";
import { StatesHost } from "./states/states-host.ts";
import { type AllocationState, surveyAllocations } from "./survey.ts";

const states = [...listStates, ...changeStates];
const each = 2;

/** The states that a restart survives, as Nomad and the reference plugins decide. */
const surviving = [
  "wrapped",
  'Nomad\'s own list (mode = "bridge")',
  "merge-only script, list now wrapped",
  "half-wrapped list, now wrapped",
  "comment and unused key added",
  "subnet changed",
  "disableCheck added",
  "bridge on layer 2 with a new port, wrapped",
  "sbr, wrapped",
];

test(`preflight forecasts what a restart does: ${states.length * each} allocations in ${states.length} states`, {
  timeout: 900_000,
}, async () => {
  await using statesHost = await StatesHost.start(states);
  const { nomad: host } = statesHost;
  const members = await statesHost.run(each);
  await statesHost.change();
  const running = await forecasts(host);
  const before = await surveyOf(host);
  await host.client.stop();
  expect(await forecasts(host)).toEqual(running);
  const copied = await forecasts(host, "--cache-dir", await copyOfCache(host));
  expect(copied).toEqual(new Map([...running].filter(([, outcome]) => !isWithoutResult(outcome))));
  await host.startClient();
  await host.untilLogged(members.length, (line) => outcomeIn(line) !== undefined);
  const outcomes = outcomesIn(await host.logLines());
  const after = await surveyOf(host);
  const rows = members.map(({ id, state }) => {
    const [forecast, restart] = [running.get(id), outcomes.get(id)];
    const isUntouched = JSON.stringify(before.get(id)) === JSON.stringify(after.get(id));
    return { state, id, forecast, restart, isUntouched };
  });
  console.log(
    table(
      ["state", "forecast", "restart", "the same", "reason"],
      states.map(({ name }) => summaryOf(name, rows)),
    ),
  );
  expect(rows.map(({ state, id, forecast }) => ({ state, id, outcome: forecast }))).toEqual(
    rows.map(({ state, id, restart }) => ({ state, id, outcome: restart })),
  );
  const passed = rows.filter(({ restart }) => restart?.is === "passes");
  expect(new Set(passed.map(({ state }) => state))).toEqual(new Set(surviving));
  expect(passed.filter(({ isUntouched }) => !isUntouched)).toEqual([]);
});

interface Row {
  readonly state: string;
  readonly forecast: Outcome | undefined;
  readonly restart: Outcome | undefined;
}

/** The line of the table for a state. */
function summaryOf(name: string, rows: readonly Row[]): readonly string[] {
  const own = rows.filter(({ state }) => state === name);
  const same = own.filter(({ forecast, restart }) => JSON.stringify(forecast) === JSON.stringify(restart));
  const { forecast, restart } = own[0] ?? {};
  const reason = restart?.is === "fails" ? restart.error : "";
  return [name, forecast?.is ?? "", restart?.is ?? "", `${same.length} of ${own.length}`, reason.slice(0, 60)];
}

/** What preflight says of each container, in the words of the restart. */
async function forecasts({ lab }: NomadLab, ...flags: string[]): Promise<ReadonlyMap<string, Outcome>> {
  const { stdout, stderr } = await lab.call("/opt/cni/bin/cni-wrappers", ["preflight", "--json", ...flags]);
  expect(stderr).toBe("");
  const report: { attachments: { containerId: string; verdict: { is: string; error?: string } }[] } =
    JSON.parse(stdout);
  return new Map(report.attachments.map(({ containerId, verdict }) => [containerId, outcomeOf(verdict)]));
}

function outcomeOf({ is, error = "" }: { readonly is: string; readonly error?: string }): Outcome {
  switch (is) {
    case "fails":
      // The client makes the network anew, and the task still has the old one.
      return / is no namespace: its namespace lives on: /.test(error)
        ? { is: "made again" }
        : { is, error: error.trim() };
    case "gone":
      return { is: "made again" };
    // With disableCheck Nomad says that CHECK passed.
    case "passes":
    case "unchecked":
      return { is: "passes" };
    default:
      throw new Error(`preflight has no verdict ${is}`);
  }
}

// Only the usual cache is compared with the wrappers' records.
function isWithoutResult(outcome: Outcome): boolean {
  return outcome.is === "fails" && outcome.error === "required prevResult missing";
}

async function copyOfCache({ lab }: NomadLab): Promise<string> {
  await lab.run("cp", ["-a", "/var/lib/cni", "/var/lib/other-cache"]);
  return "/var/lib/other-cache";
}

async function surveyOf(nomad: NomadLab): Promise<ReadonlyMap<string, AllocationState>> {
  const states = await surveyAllocations(nomad.lab, await nomad.allocations("job"));
  return new Map(states.map((state) => [state.id, { ...state, answers: {} }]));
}
