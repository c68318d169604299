import { readFileSync } from "node:fs";
import path from "node:path";
import { exampleHost } from "./examples.ts";
import { Lab } from "./lab.ts";
import { type Failure, isFaulty, type LintFixture, stages } from "./lint-fixtures.ts";

const script = readFileSync(path.join(import.meta.dirname, "lint-truth.sh"), "utf8");

/** What real plugins did with a fixture of lint. */
export interface Truth {
  readonly fixture: LintFixture;
  /** The first failure; undefined if all stages passed. */
  readonly failure: Failure | undefined;
}

/** Runs the fixtures with the real plugins, on two hosts at once. `report` is called after each. */
export async function truthOf(
  fixtures: readonly LintFixture[],
  report: (truth: Truth) => void = () => {},
): Promise<readonly Truth[]> {
  const rest = [...fixtures];
  const found: Truth[] = [];
  const work = async () => {
    await using lab = await exampleHost();
    for (let fixture = rest.shift(); fixture; fixture = rest.shift()) {
      const truth = { fixture, failure: await failureOf(lab, fixture) };
      found.push(truth);
      report(truth);
    }
  };
  await Promise.all([work(), work()]);
  return fixtures.flatMap((fixture) => found.filter((truth) => truth.fixture === fixture));
}

/** Whether a failure is the one that `expected.json` tells, or there is none in both. */
export function isAsTold({ fixture: { fails }, failure }: Truth): boolean {
  if (!fails || !failure) return fails === failure;
  return failure.at === fails.at && failure.with.includes(fails.with);
}

// A list without an error of lint must pass with one container. Some of these lists are for one container only.
async function failureOf(lab: Lab, fixture: LintFixture): Promise<Failure | undefined> {
  const place = `/run/lab/net.d/${path.basename(fixture.file)}`;
  await lab.writeFile(place, readFileSync(fixture.file, "utf8"));
  // In a list for drop-in, the wrappers have the plugins' own names.
  const pluginPath = fixture.name.includes("drop-in") ? `/opt/cni/first:${Lab.pluginPath}` : Lab.pluginPath;
  const chosen = isFaulty(fixture) ? stages : stages.filter((stage) => !["second ADD", "restart"].includes(stage));
  const output = await lab.run("sh", ["-c", script, "sh", place, pluginPath, ...chosen]);
  const [at = "", ...error] = output.split("\n");
  return at === "" ? undefined : { at: at as Failure["at"], with: error.join("\n") };
}
