import { expect, test } from "vitest";
import { leftovers } from "../support/leftovers.ts";
import type { NomadLab } from "./nomad-lab.ts";
import { outcomeIn, outcomesIn } from "./outcome.ts";
import { adoptableStates } from "./states/adoptable.ts";
import { StatesHost } from "./states/states-host.ts";
import { isSound } from "./survey.ts";
import { judge } from "./verdict.ts";

const each = 4;
const states = adoptableStates.length;
/** Two groups for each state: one is adopted, its twin is not. */
const groups = adoptableStates.flatMap((state) => [state, { ...state, name: "twin" }]);

test(`adopt --write saves ${states * each} allocations in ${states} states, and their twins are lost`, {
  timeout: 900_000,
}, async (context) => {
  await using host = await StatesHost.start(groups);
  const { nomad } = host;
  const members = await host.run(each);
  await host.change();
  const [adopted, twins] = [
    members.filter(({ state }) => state !== "twin"),
    members.filter(({ state }) => state === "twin"),
  ];
  const isAdopted = ({ id }: { readonly id: string }) => adopted.some((member) => member.id === id);
  const before = (await nomad.survey("job")).filter(isAdopted);
  expect(before.filter(isSound)).toHaveLength(states * each);
  expect(await adoptableByPreflight(nomad)).toEqual(new Set(members.map(({ id }) => id)));

  for (const network of new Set(adopted.map((member) => member.network)))
    expect((await proposals(nomad, "--network", network, "--write")).size).toBe(each);
  expect((await nomad.survey("job")).filter(isAdopted)).toEqual(before);
  await nomad.restartClient();
  await nomad.untilLogged(members.length, (line) => outcomeIn(line) !== undefined);
  const outcomes = outcomesIn(await nomad.logLines());
  expect(adopted.map(({ id, state }) => [state, outcomes.get(id)])).toEqual(
    adopted.map(({ state }) => [state, { is: "passes" }]),
  );
  expect(twins.map(({ id }) => outcomes.get(id)?.is)).toEqual(twins.map(() => "fails"));
  await nomad.untilStatus("failed", twins.length);
  const after = (await nomad.survey("job")).filter(isAdopted);
  expect(judge(context, before, after)).toMatchObject({ allocations: states * each, survived: states * each });

  await nomad.stop("job");
  const ofAdopted = adopted.flatMap(({ id, network }) => [id, `lease ${network}/`, `lease ${network}-`]);
  const isOfAdopted = (trace: string) => ofAdopted.some((name) => trace.includes(name));
  await expect.poll(async () => (await leftovers(nomad.lab)).filter(isOfAdopted)).toEqual([]);
});

/** The failing allocations that adopt can complete, as preflight says. */
async function adoptableByPreflight({ lab }: NomadLab): Promise<ReadonlySet<string>> {
  const { stdout } = await lab.call("/opt/cni/bin/cni-wrappers", ["preflight", "--json"]);
  const report: { attachments: { containerId: string; verdict: { is: string }; adoptable?: boolean }[] } =
    JSON.parse(stdout);
  const adoptable = report.attachments.filter(({ verdict, adoptable }) => verdict.is === "fails" && adoptable === true);
  return new Set(adoptable.map(({ containerId }) => containerId));
}

/** What adopt says of each allocation. */
async function proposals({ lab }: NomadLab, ...flags: string[]): Promise<ReadonlyMap<string, string>> {
  const { stdout, stderr } = await lab.call("/opt/cni/bin/cni-wrappers", ["adopt", "--json", ...flags]);
  expect(stderr).toMatch(/^looked at: lists in [^\n]*$/);
  const cases: { containerId: string; is: string }[] = JSON.parse(stdout);
  return new Map(cases.map(({ containerId, is }) => [containerId, is]));
}
