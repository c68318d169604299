// Runs the npm scripts that need more than one program: `node test/command.mjs <script> [arguments]`. It starts on the
// host's Node (20 or newer) before anything is installed, so it imports only Node's own modules.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { environment } from "../build/environment.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = join(root, "node_modules/.bin");

const build = "node build/build.ts";
const buildSlim = "node build/slim/build.ts";
const caseReporters = "--reporter=default --reporter=./test/support/case-reporter.ts";
const verdictReporter = "--reporter=./test/nomad/verdict-reporter.ts";

/**
 * For each script: the flags of `build/setup.mjs`, the programs that must succeed `first`, the programs that it `tries`
 * (they may fail) meanwhile, and the programs that it runs. The last one gets the arguments.
 */
const scripts = {
  bench: { setup: "--network --bench", first: [build], tries: [buildSlim], run: ["node test/reports/bench/bench.ts"] },
  build: { run: [build] },
  "build:conformance": { run: ["node build/conformance.ts"] },
  "build:slim": { run: [buildSlim] },
  compare: {
    setup: "--network --bench --nomad",
    first: [build],
    tries: [buildSlim],
    run: ["node test/reports/compare/compare.ts"],
  },
  demo: { setup: "--network", first: [build], run: ["node test/reports/demo/demo.ts"] },
  differential: { first: [build, buildSlim], run: ["node test/reports/differential/differential.ts"] },
  "docs:commands": { run: ["node build/docs/commands.ts"] },
  fix: { run: ["biome check --write"] },
  lint: { run: ["biome check", "tsc", "tsc --project tsconfig.core.json", "tsc --project tsconfig.page.json"] },
  "lint-page": { run: ["node test/reports/lint-page/lint-page.ts"] },
  hardening: {
    setup: "--network --tests",
    first: [build, buildSlim],
    run: ["node test/reports/hardening/hardening.ts"],
  },
  matrix: { setup: "--network --nomad", first: [build], run: ["node test/reports/matrix/matrix.ts"] },
  page: { run: ["node build/page/page.ts"] },
  packages: { run: ["node build/packages/packages.ts"] },
  release: { run: ["node build/release/release.ts"] },
  "release:notes": { run: ["node build/release/notes.ts"] },
  "release:table": { run: ["node build/release/table.ts"] },
  "release:verify": { run: ["node build/release/verify.ts"] },
  runs: {
    setup: "--network --runtimes --kernel",
    first: [build, "node test/runtimes/containerd2.ts"],
    tries: [buildSlim],
    run: ["node test/reports/runs/runs.ts"],
  },
  surface: { setup: "--network --kernel", first: [build], run: ["node test/reports/surface/surface.ts"] },
  test: { setup: "--network --tests --try-kernel", run: ["node test/run.ts"] },
  "test:alerts": { run: ["vitest run --project alerts"] },
  "test:asan": { setup: "--network --tests", first: [buildSlim], run: ["node test/asan.ts"] },
  "test:conformance": {
    setup: "--network --tests --try-kernel",
    first: [build, "node test/support/go.ts"],
    tries: [buildSlim],
    run: ["node test/reports/conformance/conformance.ts"],
  },
  "test:coverage": { run: ["vitest run --project unit --coverage"] },
  "test:faults": { setup: "--network --tests", first: [build, buildSlim], run: ["node test/reports/faults/faults.ts"] },
  "test:fresh": { setup: "--fresh", run: ["node test/fresh/fresh.ts"] },
  "test:fuzz": { run: ["node test/fuzz/fuzz.ts"] },
  "test:kernel": {
    setup: "--network --tests --kernel",
    first: [build, "node test/support/go.ts"],
    tries: [buildSlim],
    run: ["node test/kernel/run.ts"],
  },
  "test:load": { setup: "--network --tests", first: [build, buildSlim], run: ["node test/reports/load/load.ts"] },
  "test:long": {
    setup: "--network --tests",
    first: [build, buildSlim],
    run: [`vitest run --project long ${caseReporters}`],
  },
  "test:mutation": { run: ["node test/reports/mutation/mutation.ts"] },
  "test:nomad": {
    setup: "--network --tests --nomad",
    first: [build, "node test/support/nomad.ts"],
    tries: [buildSlim],
    run: [`vitest run --project nomad --maxWorkers=2 ${caseReporters} ${verdictReporter}`],
  },
  "test:only": { setup: "--network --tests", run: ["vitest run"] },
  "test:page": {
    setup: "--page",
    first: ["node build/page/page.ts", build],
    run: ["vitest run --project page"],
  },
  "test:runtimes": {
    setup: "--network --runtimes",
    first: [build, "node test/runtimes/containerd2.ts"],
    run: [`vitest run --project runtimes ${caseReporters}`],
  },
  "test:scale": {
    setup: "--network --nomad",
    first: [build],
    tries: [buildSlim],
    run: ["node test/reports/scale/scale.ts"],
  },
  "test:settings": { setup: "--network --tests", run: ["node test/reports/settings/settings.ts"] },
  "test:simulate": { run: ["node test/simulate/simulate.ts"] },
  "test:target": { run: ["node test/target.ts"] },
  "verdict-truth": {
    setup: "--network --tests",
    first: [build],
    tries: [buildSlim],
    run: ["node test/reports/verdict-truth/verdict-truth.ts"],
  },
  "test:unit": { run: ["vitest run --project unit"] },
};

async function runScript({ setup = "", first = [], tries = [], run }, args) {
  // Only the script's own output goes to stdout: it may be JSON.
  await expectSuccess(process.execPath, ["build/setup.mjs", ...words(setup)], "stderr");
  const inTurn = async (programs, expectation) => {
    for (const program of programs) await expectation(...located(program), "stderr");
  };
  // The two flavors are built side by side: each build leaves a CPU idle for most of its time.
  await Promise.all([inTurn(first, expectSuccess), inTurn(tries, expectNoSignal)]);
  for (const [index, program] of run.entries()) {
    const [command, own] = located(program);
    await expectSuccess(command, index === run.length - 1 ? [...own, ...args] : own, "stdout");
  }
}

function located(program) {
  const [name, ...args] = words(program);
  return [join(bin, name), args];
}

function words(text) {
  return text.split(" ").filter(Boolean);
}

async function expectSuccess(command, args, output) {
  const exitCode = await exitCodeOf(command, args, output);
  if (exitCode !== 0) process.exit(exitCode);
}

async function expectNoSignal(command, args, output) {
  const exitCode = await exitCodeOf(command, args, output);
  if (exitCode > 128) process.exit(exitCode);
}

function exitCodeOf(command, args, output) {
  const stdio = ["inherit", output === "stdout" ? "inherit" : 2, "inherit"];
  const program = spawn(command, args, { cwd: root, env, stdio });
  running.add(program);
  return new Promise((resolve) => {
    program.on("error", (error) => {
      console.error(error.message);
      resolve(1);
    });
    program.on("exit", (code, signal) => {
      running.delete(program);
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

const given = environment(process.env);
// npm puts the installed programs first in PATH. A call without npm needs them too.
const env = { ...given, PATH: [bin, given.PATH].join(delimiter) };
// The programs inherit the umask, and Node adds the variable to the environment of every program.
process.umask(0o022);
delete process.env.NODE_V8_COVERAGE;
const running = new Set();
// The terminal sends SIGINT to the program as well. It cleans up, and its exit code decides.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {
  for (const program of running) program.kill();
});
// The other build must not outlive a failed one.
process.on("exit", () => {
  for (const program of running) program.kill();
});

const [name = "", ...args] = process.argv.slice(2);
if (!Object.hasOwn(scripts, name)) {
  console.error(`test/command.mjs: one of ${Object.keys(scripts).join(", ")}`);
  process.exit(1);
}
await runScript(scripts[name], args);
