import { inspect, isDeepStrictEqual } from "node:util";
import { table } from "../../../../build/docs/table.ts";
import { say } from "../../../support/progress.ts";
import { firstDifference } from "../../bench/difference.ts";
import { listedDifferences, type Verdict, verdictOn } from "./differences.ts";
import { ReusedHost } from "./host.ts";
import { type GeneratedLife, generatedVerbs, livesWith } from "./lives.ts";
import { generatedPlugins } from "./plugins.ts";
import { type Told, tellLife } from "./tell.ts";

/** The verdict on one call, and whether the plain plugin's call passed. */
interface Compared {
  readonly plugin: string;
  readonly verb: string;
  readonly hasPassed: boolean;
  readonly verdict: Verdict;
}

/** The hosts in use at a time: a plain one and a wrapped one for each worker. They mostly wait for processes. */
const workers = 2;

/** Compares generated calls, or only those of one life. Prints a table. Returns the exit code. */
export async function compareGenerated(count: number, seed: number, only: number | undefined): Promise<number> {
  const lives = livesWith(count, seed);
  const chosen = [...lives.entries()].filter(([index]) => only === undefined || index === only);
  const waiting = chosen.values();
  const all: Compared[] = [];
  const work = async () => {
    await using plain = new ReusedHost();
    await using wrapped = new ReusedHost();
    for (const [index, life] of waiting) {
      all.push(...(await compareLife(index, life, plain, wrapped)));
      say(`${all.length} calls compared`);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return report(all, only === undefined ? count : 0, seed);
}

async function compareLife(
  index: number,
  life: GeneratedLife,
  plainHost: ReusedHost,
  wrappedHost: ReusedHost,
): Promise<Compared[]> {
  const [plain, wrapped] = await Promise.all([
    plainHost.renewed().then((lab) => tellLife(lab, life, "")),
    wrappedHost.renewed().then((lab) => tellLife(lab, life, "-wrapper")),
  ]);
  return life.calls.flatMap((call, place) => {
    const [one, other] = [plain[place], wrapped[place]];
    if (one === undefined || other === undefined) throw new Error(`life ${index} has no call ${place}`);
    const verdict = verdictOn(life, call, one, other);
    if (verdict === "DIFFERENT") describe(index, life, place, one, other);
    return [{ plugin: life.plugin.name, verb: call.verb, hasPassed: one.outcome.exitCode === 0, verdict }];
  });
}

/** Prints a difference with everything that caused it. */
function describe(index: number, life: GeneratedLife, place: number, plain: Told, wrapped: Told): void {
  const { plugin, ...own } = life;
  const isOnHost = isDeepStrictEqual(plain.outcome, wrapped.outcome);
  const show = (value: unknown) => inspect(value, { depth: null, breakLength: 120 }).slice(0, 2000);
  console.log(`life ${index}, ${plugin.name}, call ${place} differs${isOnHost ? " on the host" : ""}: ${show(own)}`);
  if (isOnHost) console.log(`wrapped: ${firstDifference(plain.host, wrapped.host)}\n`);
  else console.log(`plain: ${show(plain.outcome)}\nwrapped: ${show(wrapped.outcome)}\n`);
}

function report(all: readonly Compared[], count: number, seed: number): number {
  const names = listedDifferences.map(({ name }) => name);
  const counted = (calls: readonly Compared[]) => [
    calls.length,
    calls.filter(({ hasPassed }) => hasPassed).length,
    ...["same", ...names, "DIFFERENT"].map((name) => calls.filter(({ verdict }) => verdict === name).length),
  ];
  const rows = generatedPlugins.flatMap(({ name }) =>
    generatedVerbs.map((verb) => {
      const own = all.filter((each) => each.plugin === name && each.verb === verb);
      return [name, verb, ...counted(own).map(String)];
    }),
  );
  console.log(table(["plugin", "verb", "calls", "passed plain", "same", ...names, "DIFFERENT"], rows));
  for (const { name, reason } of listedDifferences) console.log(`${name}: ${reason}`);
  const different = all.filter(({ verdict }) => verdict === "DIFFERENT").length;
  const unseen = rows.filter(([, , , passed]) => passed === "0").map(([name, verb]) => `${verb} of ${name}`);
  console.log(`\nseed ${seed}: ${all.length} calls, ${different} with a difference that is not listed`);
  if (count === 0) return different === 0 ? 0 : 1;
  if (unseen.length > 0) console.log(`never passed: ${unseen.join(", ")}`);
  if (all.length < count) console.log(`only ${all.length} calls of ${count} ran`);
  return different === 0 && unseen.length === 0 && all.length >= count ? 0 : 1;
}
