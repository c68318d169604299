// What a call costs through the wrapper and through what else there is: medians, spread and ratios of interleaved runs.
import { parseArgs } from "node:util";
import { cases } from "./cases.ts";
import { measure } from "./measure.ts";
import { type CaseReport, describeMachine, type Report, reportCase, tableOf } from "./report.ts";
import { peersOf, type Stage, setStage } from "./stage.ts";
import { verify } from "./verify.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    /** For a quick look: fewer than 50 prove nothing. */
    runs: { type: "string", default: "60" },
  },
});

/** Compares what the peers do, then times them; nothing is timed unless all do the same. */
async function bench(runs: number): Promise<Report> {
  if (!(runs > 0)) throw new Error("--runs must be a number of runs");
  const stage = await setStage();
  for (const one of cases) verify(stage, one);
  say("Every peer does the same work.\n");
  const reports: CaseReport[] = [];
  for (const one of cases) reports.push(await timeCase(stage, one, runs));
  return { machine: describeMachine(), runs, cases: reports };
}

async function timeCase(stage: Stage, one: (typeof cases)[number], runs: number): Promise<CaseReport> {
  const peers = peersOf(stage, one, "timed");
  const ofRuns = process.stderr.isTTY ? (done: number) => say(`\r${one.title}: ${done} of ${runs}`) : () => {};
  const timings = await measure(stage, peers, runs, ofRuns);
  say(`${process.stderr.isTTY ? "\r" : ""}${one.title}: ${runs} runs of each of ${peers.length}\n`);
  return reportCase(one.title, timings);
}

function say(progress: string): void {
  process.stderr.write(progress);
}

try {
  const report = await bench(Number(options.runs));
  console.log(options.json ? JSON.stringify(report, null, 2) : tableOf(report));
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
