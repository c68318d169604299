// Many attachments on one host: how long preflight takes in proportion to the plugins that it runs, and its memory.
// `--count` changes the numbers, `--runs` how often each is measured, `--json` prints the figures.

import { mkdtempDisposableSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { table } from "../../../build/docs/table.ts";
import { given } from "../../support/given.ts";
import { say } from "../../support/progress.ts";
import { makeHost } from "./host.ts";
import { type Figures, measure } from "./measure.ts";

const options = given({ count: ["100", "1000"], runs: 9, json: false });

const figures: Figures[] = [];
for (const count of options.count.map(Number)) {
  using directory = mkdtempDisposableSync(path.join(tmpdir(), "bench-preflight-"));
  say(`${count} attachments`);
  figures.push(await measure(makeHost(directory.path, count), { count, runs: options.runs }));
}

const rows = figures.map(({ count, plugins, preflight, memory }) => [
  String(count),
  `${plugins.toFixed(2)} s`,
  `${preflight.toFixed(2)} s`,
  (preflight / plugins).toFixed(2),
  `${Math.round(memory / 1024)} MiB`,
]);
const head = ["attachments", "the plugins alone", "preflight", "ratio", "memory of preflight"];
const title = `Two plugins that do nothing for each attachment, ${availableParallelism()} at once; the median of ${options.runs} runs:`;
console.log(options.json ? JSON.stringify(figures, null, 2) : `${title}\n\n${table(head, rows)}`);
