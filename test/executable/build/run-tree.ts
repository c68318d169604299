import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { root, scratch, writeScript } from "../../support/tree.ts";

/** The end of a stand-in: its exit code, and the report that it leaves. */
export type Outcome = { exit?: number; files?: { status: string; tests: string[] }[]; alsoPassed?: string[] };

/** A report of one file with one test. */
export const onePasses = { files: [{ status: "passed", tests: ["passed"] }] };
/** Every tool passes. */
export const allPass: Record<string, Outcome> = {
  unit: onePasses,
  executable: onePasses,
  e2e: onePasses,
  nomad: onePasses,
  "executable-slim": onePasses,
  "e2e-slim": onePasses,
  kernel: onePasses,
};

/**
 * Makes a tree with stand-ins for the tools: each prints its name and ends as `outcomes` says, vitest with a report. `nomad`
 * and `kernel` are the lines about a missing Nomad and a missing second kernel. An empty line names nothing missing.
 */
export function makeTree(
  outcomes: Record<string, Outcome>,
  { cargo = "echo cargo 1.87.0", cc = "echo cc 14.2.0", nomad = "", kernel = "\n" } = {},
): string {
  const tree = scratch();
  for (const directory of ["test", "outcomes", "node_modules"]) mkdirSync(join(tree, directory), { recursive: true });
  copyFileSync(join(root, "test/run.ts"), join(tree, "test/run.ts"));
  for (const name of ["test/support", "build", "node_modules/execa"]) symlinkSync(join(root, name), join(tree, name));
  writeScript(join(tree, "host/cargo"), cargo);
  writeScript(join(tree, "host/cc"), cc);
  for (const [name, { exit = 0, files, alsoPassed = [] }] of Object.entries(outcomes)) {
    writeFileSync(join(tree, "outcomes", name), `${exit}`);
    if (files) writeFileSync(join(tree, "outcomes", `${name}.json`), JSON.stringify(reportOf(files, alsoPassed)));
  }
  const end = (name: string) => `echo "output of ${name}"; exit "$(cat "outcomes/${name}" || echo 0)"`;
  writeFileSync(join(tree, "outcomes/lacks-nomad"), nomad);
  writeFileSync(join(tree, "outcomes/lacks-kernel"), kernel);
  const cases = [
    "*lacks-nomad) exec cat outcomes/lacks-nomad;;",
    "*lacks) exec cat outcomes/lacks-kernel;;",
    `test/kernel/*) cp outcomes/kernel.json "$3"; ${end("kernel")};;`,
  ];
  for (const tool of ["biome", "tsc", "node"]) {
    writeScript(join(tree, "node_modules/.bin", tool), `case $* in ${cases.join(" ")} esac; ${end(tool)}`);
  }
  const report =
    'for arg; do case $arg in --outputFile.json=*) cp "outcomes/$3.json" "$(echo "$arg" | cut -d= -f2)";; esac; done';
  writeScript(join(tree, "node_modules/.bin/vitest"), `echo "vitest $*"; ${report}; ${end("$3")}`);
  return tree;
}

function reportOf(files: { status: string; tests: string[] }[], alsoPassed: string[]) {
  const assertions = (tests: string[]) =>
    tests.map((status, index) => ({ status, fullName: `${status} test ${index}` }));
  const more = alsoPassed.map((fullName) => ({ status: "passed", fullName }));
  const results = files.map(({ status, tests }) => ({ status, assertionResults: [...assertions(tests), ...more] }));
  return { testResults: results };
}

/** Runs `test/run.ts` of that tree, where CI is set or not. */
export function run(tree: string, { CI = "" } = {}) {
  const env = { PATH: `${join(tree, "host")}:/usr/bin:/bin`, CI };
  return execa({ reject: false, all: true, env })`${process.execPath} ${join(tree, "test/run.ts")}`;
}
