// Generated calls of plain plugins and of their wrappers, each on a host with the same state. It exits with 1 at a
// difference that is not listed, or if too few calls ran. `--seed 7` generates others, `--life 12` runs the calls of one
// container again.
import { given, text } from "../../../support/given.ts";
import { compareGenerated } from "./run.ts";

const { count, seed, life } = given({ count: 2000, seed: 1, life: text });
process.exitCode = await compareGenerated(count, seed, life === undefined ? undefined : Number(life));
