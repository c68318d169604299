import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { bridge, macvlan, twoInterfaces, zone } from "../e2e/support.ts";
import type { Lab, Outcome } from "../support/lab.ts";
import { ownFolder } from "../support/own-folder.ts";
import { writeArchives } from "../support/rollout-archives.ts";
import { built, root, scratch } from "../support/tree.ts";
import { version } from "../support/version.ts";
import { Cluster, type ClusterClient, shell } from "./cluster.ts";
import { jobOf } from "./jobs.ts";
import { isPassedCheck } from "./log.ts";
import { type Step, stepsOf } from "./runbook.ts";
import { installScripts } from "./states/host.ts";
import { type AllocationState, isSound, survived } from "./survey.ts";
import { until } from "./until.ts";

const steps = stepsOf(readFileSync(path.join(root, "docs/upgrade-a-fleet.md"), "utf8"));
const clients = 3;
/** The allocations of each client. */
const each = 3;

/** The exit code of each block, on each host that runs it. preflight finds containers that fail, once. */
const exitCodes = [
  ["1. Install", [0]],
  ["1. Install", [0, 0, 0]],
  ["2. Preflight", [0]],
  ["2. Preflight", [1]],
  ["3. Adopt", [0, 0, 0]],
  ["3. Adopt", [0]],
  ["3. Adopt", [0]],
  ["4. Restart a canary", [0]],
  ["5. Verify", [0]],
  ["6. Restart the rest", [0, 0]],
  ["Roll back", [0]],
];

test("the runbook's commands, followed to the letter on three clients: 9 allocations survive", {
  timeout: 900_000,
}, async () => {
  const directory = await cloneWithArchives();
  await using cluster = await Cluster.start(clients, installOldList);
  await ownFolder(cluster.server, "/usr/local/bin");
  await cluster.run(jobOnEachHost(), clients * each);
  const before = await surveys(cluster);
  expect(before.filter(isSound)).toHaveLength(clients * each);
  const run: { title: string; outcomes: Outcome[] }[] = [];
  for (const step of steps) {
    const outcomes = await follow(step, cluster, directory);
    run.push({ title: step.title, outcomes });
    const after = await surveys(cluster);
    expect(
      before.filter((state) => survived(state, after)),
      step.title,
    ).toHaveLength(clients * each);
  }
  expect(run.map(({ title, outcomes }) => [title, outcomes.map(({ exitCode }) => exitCode)])).toEqual(exitCodes);

  const onEach = (value: string) => Array(clients).fill(Array(each).fill(value));
  const answers = (name: string) => answersIn(path.join(directory, "conf-examples/nomad-jobs", name));
  expect(answers("before.jsonl").map(verdictsIn)).toEqual(onEach("fails"));
  expect(answers("proposals.jsonl").map(proposalsIn)).toEqual(onEach("adoptable"));
  expect(answers("adopted.jsonl").map(proposalsIn)).toEqual(onEach("adoptable"));
  expect(answers("after.jsonl").map(verdictsIn)).toEqual(onEach("passes"));
  const verified = run.find(({ title }) => title === "5. Verify")?.outcomes[0]?.stdout ?? "";
  expect(verified).toContain(`${each} of ${each} pass`);
  expect(verified.match(/ run +running /g)).toHaveLength(each);
});

/** Runs a block where its line says. After a restart it waits until the client has checked each allocation. */
async function follow({ place, commands }: Step, cluster: Cluster, directory: string): Promise<Outcome[]> {
  if (place === "your machine") return [await shell(cluster.server, commands, directory)];
  const [canary, ...others] = cluster.clients;
  const hosts = { "every client": cluster.clients, "the canary": canary ? [canary] : [], "each other client": others };
  const outcomes: Outcome[] = [];
  for (const client of hosts[place]) {
    const checked = await checkCount(client);
    outcomes.push(await shell(client.lab, commands, directory));
    if (!commands.includes("systemctl")) continue;
    await until("checked allocations", async () => (await checkCount(client)) === checked + each);
    await cluster.untilReady();
  }
  return outcomes;
}

async function checkCount({ agent }: ClusterClient): Promise<number> {
  return (await agent.allLines()).filter(isPassedCheck).length;
}

/** The repository with the archives of a release, as an operator has it. The commands write files there. */
async function cloneWithArchives(): Promise<string> {
  const directory = scratch();
  cpSync(path.join(root, "conf-examples"), path.join(directory, "conf-examples"), { recursive: true });
  const release = path.join(directory, "dist/release");
  mkdirSync(release, { recursive: true });
  // Without cargo there is no slim flavor.
  const slim = path.join(root, "dist/slim/bin/cni-wrappers");
  const executable = existsSync(slim) ? slim : path.join(built("bin"), "cni-wrappers");
  await writeArchives(release, { [version]: executable });
  return directory;
}

/** A host without the wrappers. A script makes eth1 and does not report it, so the list has CHECK disabled. */
async function installOldList(lab: Lab): Promise<void> {
  await ownFolder(lab, "/usr/local/bin");
  await lab.run("sh", ["-ec", "cd /opt/cni/bin; umount cni-wrappers; rm cni-wrappers *-wrapper; mkdir ../config"]);
  await installScripts(lab);
  await lab.ip(undefined, "address", "add", "172.16.5.1/24", "dev", "uplink1");
  const old = { ...zone("1.0.0", macvlan, { ...bridge, type: "bridge-forgetting" }), disableCheck: true };
  await lab.writeFile("/opt/cni/config/zone.conflist", JSON.stringify(old));
  await lab.writeFile("/opt/cni/config/zone.conflist.new", JSON.stringify(twoInterfaces("1.0.0")));
}

/** A job whose groups each have one allocation on each host. */
function jobOnEachHost() {
  const job = jobOf({ id: "web", network: "cni/zone", count: clients, isLean: true });
  const groups = Array.from({ length: each }, (_, index) =>
    job.TaskGroups.map((group) => ({ ...group, Name: `g${index}`, Constraints: [{ Operand: "distinct_hosts" }] })),
  );
  return { ...job, TaskGroups: groups.flat() };
}

async function surveys(cluster: Cluster): Promise<AllocationState[]> {
  const states: AllocationState[] = [];
  for (const client of cluster.clients) states.push(...(await cluster.survey("web", client)));
  return states;
}

function answersIn(file: string): unknown[] {
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function verdictsIn(answer: unknown): string[] {
  const { attachments } = answer as { attachments: { verdict: { is: string } }[] };
  return attachments.map(({ verdict }) => verdict.is);
}

function proposalsIn(answer: unknown): string[] {
  return (answer as { is: string }[]).map(({ is }) => is);
}
