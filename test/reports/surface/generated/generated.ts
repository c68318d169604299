// Generated calls of plain plugins and of their wrappers, each on a host with the same state. It exits with 1 at a
// difference that is not listed, or if too few calls ran. `--seed 7` generates others, `--life 12` runs the calls of one
// container again.
import { parseArgs } from "node:util";
import { compareGenerated } from "./run.ts";

const { values: given } = parseArgs({
  options: {
    count: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
    life: { type: "string" },
  },
});
const only = given.life === undefined ? undefined : Number(given.life);
process.exitCode = await compareGenerated(Number(given.count), Number(given.seed), only);
