import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Outcome } from "../support/lab.ts";
import { ownFolder } from "../support/own-folder.ts";
import { root } from "../support/tree.ts";
import { Cluster, shell } from "./cluster.ts";
import { cloneWithArchives, installOldList, jobOnEachHost, newList, surveysOf } from "./fleet.ts";
import { type Step, stepsOf } from "./runbook.ts";
import { isSound, survived } from "./survey.ts";

const steps = stepsOf(readFileSync(path.join(root, "docs/upgrade-a-fleet.md"), "utf8"));
const clients = 3;
/** The allocations of each client. */
const each = 3;

/** The exit code of each block, on each host that runs it. preflight finds containers that fail, once. */
const exitCodes = [
  ["1. Install", [0]],
  ["1. Install", [0, 0, 0]],
  ["2. Check the list", [1]],
  ["3. Distribute it", [0]],
  ["4. Restart", [0]],
  ["Roll back", [0]],
];

test("the runbook's commands, followed to the letter on three clients, with the page's output: 9 allocations survive", {
  timeout: 900_000,
}, async () => {
  const directory = await cloneWithArchives();
  writeFileSync(path.join(directory, "conf-examples/nomad-jobs/zone.conflist"), JSON.stringify(newList));
  await using cluster = await Cluster.start(clients, installOldList);
  await ownFolder(cluster.server, "/usr/local/bin");
  await cluster.run(jobOnEachHost(clients, each), clients * each);
  const before = await surveysOf(cluster);
  expect(before.filter(isSound)).toHaveLength(clients * each);
  // They are older than a minute, so Nomad has saved them.
  const age = "find /var/lib/cni/results -type f -exec touch -d '2 minutes ago' {} +";
  for (const { lab } of cluster.clients) await lab.run("sh", ["-c", age]);
  const codes: [string, (number | undefined)[]][] = [];
  for (const step of steps) {
    const outcomes = await follow(step, cluster, directory);
    codes.push([step.title, outcomes.map(({ exitCode }) => exitCode)]);
    const [{ stdout = "", stderr = "" } = {}] = outcomes;
    if (step.output !== undefined) expect({ title: step.title, stdout, stderr }).toMatchObject({ stdout: step.output });
    const after = await surveysOf(cluster);
    expect(
      before.filter((state) => survived(state, after)),
      step.title,
    ).toHaveLength(clients * each);
  }
  expect(codes).toEqual(exitCodes);
  expect(steps.filter(({ output }) => output !== undefined)).toHaveLength(4);
});

function follow({ place, commands }: Step, { server, clients: all }: Cluster, directory: string): Promise<Outcome[]> {
  if (place === "every client") return Promise.all(all.map(({ lab }) => shell(lab, commands, directory)));
  return Promise.all([shell(server, commands, path.join(directory, "conf-examples/nomad-jobs"))]);
}
