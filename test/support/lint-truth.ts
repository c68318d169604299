import { readFileSync } from "node:fs";
import path from "node:path";
import { atOnce } from "../../cli/live/at-once.ts";
import { exampleHost } from "./examples.ts";
import { Lab } from "./lab.ts";
import { type Failure, isFaulty, type LintFixture, stages } from "./lint-fixtures.ts";
import { gocni, type PortMapping } from "./runtime.ts";

const verbs: Readonly<Record<Failure["at"], readonly [verb: string, container: string]>> = {
  load: ["load", "c1"],
  ADD: ["setup", "c1"],
  CHECK: ["check", "c1"],
  "second ADD": ["setup", "c2"],
  restart: ["check", "c1"],
  DEL: ["remove", "c1"],
};

// Only the first container publishes ports: a port of the host has one owner.
const portsOf: Readonly<Record<string, readonly PortMapping[]>> = {
  c1: [
    { hostPort: 25080, containerPort: 80, protocol: "tcp" },
    { hostPort: 25443, containerPort: 443, protocol: "tcp" },
  ],
};

/**
 * Runs the fixtures with the real plugins, two at once, each on a host of its own. Returns those that fail in another way than
 * lint says, or pass, with their first failure. There must be some to judge.
 */
export async function wronglyTold(fixtures: readonly LintFixture[]): Promise<readonly unknown[]> {
  // A warning is about a list that works and misleads.
  const judged = fixtures.filter((fixture) => isFaulty(fixture) || fixture.findings.length === 0);
  if (judged.length === 0) throw new Error("no list to judge");
  const failures = await atOnce(judged, 2, failureOf);
  const all = judged.map((fixture, index) => ({ fixture, failure: failures[index] }));
  return all.flatMap(({ fixture: { name, fails }, failure }) => (isSame(fails, failure) ? [] : [[name, failure]]));
}

/** Whether a failure is the one that `expected.json` tells, or there is none in both. */
function isSame(told: Failure | undefined, found: Failure | undefined): boolean {
  if (!told || !found) return told === found;
  return found.at === told.at && found.with.includes(told.with);
}

// A list without an error of lint must pass with one container. Some of these lists are for one container only.
async function failureOf(fixture: LintFixture): Promise<Failure | undefined> {
  await using lab = await exampleHost();
  const file = `/run/lab/net.d/${path.basename(fixture.file)}`;
  await lab.writeFile(file, readFileSync(fixture.file, "utf8"));
  for (const name of ["c1", "c2"]) await lab.addContainer(name);
  // In a list for drop-in, the wrappers have the plugins' own names.
  const pluginPath = fixture.name.includes("drop-in") ? `/opt/cni/first:${Lab.pluginPath}` : Lab.pluginPath;
  for (const at of isFaulty(fixture) ? stages : stages.filter((stage) => !["second ADD", "restart"].includes(stage))) {
    const [verb, id] = verbs[at];
    const request = { pluginPath, file, id, netns: `/run/netns/${id}`, ports: portsOf[id] };
    // A relative `dataDir` must not be in this repository.
    const call = ["-c", 'cd /run/lab && exec "$0" "$1"', gocni, verb];
    const { exitCode, stderr } = await lab.call("sh", call, { input: JSON.stringify(request) });
    if (exitCode !== 0) return { at, with: stderr };
  }
  return undefined;
}
