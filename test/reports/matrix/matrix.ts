// The version matrix: reference plugins, versions of the specification, runtimes. `--json` prints it as data. `--write`
// puts it into docs/versions.md. `--only TEXT` fills only the cells whose names contain this text. The exit code is 1 if anything is worse than in expected.json.

import { readFileSync } from "node:fs";
import path from "node:path";
import { writeSection } from "../../../build/docs/page-section.ts";
import { given } from "../../support/given.ts";
import { nomadVersions } from "../../support/nomad.ts";
import { say } from "../../support/progress.ts";
import { nomadVersion, pinnedVersion, sentence } from "../../support/versions.ts";
import { followNomad, followVerbs, type StepResult } from "./follow.ts";
import { type Chain, nameOf, type Place, places, plainChains, wrappedChain } from "./places.ts";
import { type Cell, type Expected, failuresOf, improvements, matrixTable, regressions } from "./report.ts";

const options = given({ json: false, only: "", write: false });

async function fillCell(place: Place): Promise<Cell> {
  const steps = await followChain(place, wrappedChain(place.specification));
  if (steps.every(({ error }) => error === undefined)) return { ...place, steps, plain: [] };
  const plain: Cell["plain"][number][] = [];
  for (const chain of plainChains(place.specification)) {
    plain.push({ title: chain.title, steps: await followChain(place, chain) });
  }
  return { ...place, steps, plain };
}

function followChain({ plugins, runtime }: Place, chain: Chain): Promise<StepResult[]> {
  if (runtime === "go-cni") return followVerbs(plugins, "goCni", chain);
  if (runtime === "cnitool") return followVerbs(plugins, "cnitool", chain);
  return followNomad(
    plugins,
    chain,
    nomadVersions.find((version) => runtime === `Nomad ${version}`),
  );
}

function isWanted(place: Place): boolean {
  const isThere = place.runtime !== "NOMAD_BIN" || Boolean(process.env.NOMAD_BIN);
  return isThere && nameOf(place).includes(options.only);
}

const wanted = places.filter(isWanted);
if (wanted.length === 0) throw new Error(`no cell has ${options.only} in its name`);
if (options.only !== "" && options.write) throw new Error("--write needs the whole matrix: leave out --only");
const cells: Cell[] = [];
for (const place of wanted) {
  const cell = await fillCell(place);
  cells.push(cell);
  const failing = failuresOf(cell).map(({ step }) => step);
  say(`${cells.length} of ${wanted.length}: ${nameOf(place)}: ${failing.length > 0 ? `not ${failing}` : "passes"}`);
}

const expected: Expected = JSON.parse(readFileSync(path.join(import.meta.dirname, "expected.json"), "utf8"));
const versions = {
  "go-cni": pinnedVersion("support/drivers", "github.com/containerd/go-cni"),
  cnitool: pinnedVersion("support/drivers", "github.com/containernetworking/cni"),
  ...(process.env.NOMAD_BIN && { "NOMAD_BIN: Nomad": await nomadVersion() }),
};
const worse = regressions(cells, expected);
for (const line of [...worse, ...improvements(cells, expected)]) say(line);
const text = `${sentence(versions)}\n\n${matrixTable(cells)}`;
console.log(options.json ? JSON.stringify({ versions, cells, worse }, null, 2) : text);
if (options.write) writeSection("matrix", text);
process.exitCode = worse.length === 0 ? 0 : 1;
