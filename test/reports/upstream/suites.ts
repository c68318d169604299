import { cpSync, mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { execa } from "execa";
import { inParts, inSecondKernel } from "../../kernel/second-kernel.ts";
import type { Fault } from "./faults.ts";

/** How many of the tests with a name there are, and how many of them passed in one of the kernels. */
export interface Count {
  readonly total: number;
  readonly passed: number;
}
/** By package and name of the test. */
export type Counts = Readonly<Record<string, Count>>;

interface GinkgoSuite {
  readonly SpecReports?: readonly {
    readonly ContainerHierarchyTexts?: readonly string[] | null;
    readonly LeafNodeText: string;
    readonly LeafNodeType: string;
    readonly State: string;
  }[];
}

const script = path.join(import.meta.dirname, "suite.sh");
const here = process.env.GOFLAGS ?? "";
// Without paths, what Go compiled for one copy serves for the others.
const environment = { CGO_ENABLED: "0", GOFLAGS: `${here} -buildvcs=false -trimpath`.trim() };

/** Builds the plugins of a copy, with the version that their binaries print. Returns their folder. */
async function buildPlugins(copy: string, version: string): Promise<string> {
  const programs = path.join(copy, "programs");
  const flag = `-X github.com/containernetworking/plugins/pkg/utils/buildversion.BuildVersion=${version}`;
  const packages = ["./plugins/main/...", "./plugins/meta/...", "./plugins/ipam/..."];
  mkdirSync(programs, { recursive: true });
  await execa("nice", ["go", "build", "-ldflags", flag, "-o", `${programs}/`, ...packages], {
    cwd: copy,
    env: environment,
  });
  return programs;
}

/**
 * Runs the Ginkgo suites of a copy in this kernel, and in the second one the tests that failed: neither kernel has every
 * kind of device. With `words`, only tests with such words in their names run.
 */
export async function runGinkgo(
  copy: string,
  packages: readonly string[],
  version: string,
  words: readonly string[] = [],
): Promise<Counts> {
  const plugins = await buildPlugins(copy, version);
  const programs = path.join(copy, "suites");
  cpSync(plugins, programs, { recursive: true });
  const go = (args: readonly string[]) => execa("nice", ["go", ...args], { cwd: copy, env: environment });
  await go(["build", "-o", `${programs}/`, "./pkg/testutils/echo/..."]);
  for (const name of packages)
    await go(["test", "-c", "-vet=off", "-o", `${programs}/${flat(name)}.test`, `./${name}`]);
  mkdirSync(path.join(programs, "shim"), { recursive: true });
  cpSync(path.join(import.meta.dirname, "go-shim.sh"), path.join(programs, "shim", "go"));
  await execa("chmod", ["+x", path.join(programs, "shim", "go")]);
  writeFocus(programs, words);
  const native = await runHere(copy, programs, packages);
  const rest = packages.filter((name) => !allPass(native, name));
  if (rest.length === 0) return native;
  // The second kernel is slow. A suite without results did not end here.
  const unknown = rest.some((name) => titlesOf(native, name).length === 0);
  if (!unknown)
    writeFocus(
      programs,
      rest.flatMap((name) => failedIn(native, name)),
    );
  return merged(native, await runInSecondKernels(copy, programs, rest));
}

async function runHere(copy: string, programs: string, packages: readonly string[]): Promise<Counts> {
  const counts = await inParts(packages, async (own) => {
    using results = mkdtempDisposableSync(path.join(tmpdir(), "cni-wrappers-upstream-"));
    await execa("nice", ["sh", script, copy, programs, results.path, ...own]);
    return readReports(results.path, own);
  });
  return Object.assign({}, ...counts);
}

async function runInSecondKernels(copy: string, programs: string, packages: readonly string[]): Promise<Counts> {
  const counts = await inParts(packages, (own, cpu) => {
    const command = ["sh", script, copy, programs, "/mnt", ...own];
    return inSecondKernel(command, (_, folder) => readReports(folder, own), cpu, "1500M");
  });
  return Object.assign({}, ...counts);
}

function readReports(folder: string, packages: readonly string[]): Counts {
  return Object.assign({}, ...packages.map((name) => countsOf(name, read(path.join(folder, `${flat(name)}.json`)))));
}

function read(file: string): readonly GinkgoSuite[] {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // The suite did not end. Its tests are then missing.
    return [];
  }
}

/** The tests of a Ginkgo report. Some tests have the same name, so they are counted. */
export function countsOf(name: string, report: readonly GinkgoSuite[]): Counts {
  const specs = report
    .flatMap(({ SpecReports = [] }) => SpecReports)
    .filter(({ LeafNodeType, State }) => LeafNodeType === "It" && State !== "skipped");
  const title = (spec: (typeof specs)[number]) =>
    `${name}: ${[...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(" ")}`;
  const groups = Map.groupBy(specs, title);
  const count = (group: typeof specs) => ({
    total: group.length,
    passed: group.filter(({ State }) => State === "passed").length,
  });
  return Object.fromEntries([...groups].map(([key, group]) => [key, count(group)]));
}

function allPass(counts: Counts, name: string): boolean {
  return titlesOf(counts, name).length > 0 && failedIn(counts, name).length === 0;
}

/** The names of a package's tests, as Ginkgo has them. */
function titlesOf(counts: Counts, name: string): string[] {
  return Object.keys(counts).flatMap((key) => (key.startsWith(`${name}: `) ? [key.slice(name.length + 2)] : []));
}

function failedIn(counts: Counts, name: string): string[] {
  const isFailed = ({ passed, total } = { passed: 0, total: 1 }) => passed < total;
  return titlesOf(counts, name).filter((title) => isFailed(counts[`${name}: ${title}`]));
}

/** Writes the expression for the tests that run: those with one of these words in their names, or all. */
function writeFocus(programs: string, words: readonly string[]): void {
  const literal = words.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  writeFileSync(path.join(programs, "focus"), literal.join("|"));
}

/** The better of two runs, test by test. */
export function merged(one: Counts, other: Counts): Counts {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  const best = (name: string) => {
    const both = [one[name], other[name]].filter((count) => count !== undefined);
    return both.toSorted((left, right) => right.passed - left.passed)[0] ?? { total: 0, passed: 0 };
  };
  return Object.fromEntries([...names].map((name) => [name, best(name)]));
}

/** Runs the tests of a module that uses Go's own test package. */
export async function runGoTests(copy: string, { packages, modEdit, testFlags = [] }: Fault): Promise<Counts> {
  const flags = [here, "-trimpath", ...(modEdit === undefined ? [] : ["-mod=mod"])];
  const options = { cwd: copy, env: { GOFLAGS: flags.join(" ").trim() } };
  if (modEdit !== undefined) await execa("go", ["mod", "edit", ...modEdit], options);
  const args = ["go", "test", "-json", "-count=1", ...testFlags, ...packages.map((name) => `./${name}`)];
  const { stdout } = await execa("nice", args, { ...options, reject: false });
  const events: { Action: string; Package: string; Test?: string }[] = stdout.split("\n").filter(Boolean).map(parsed);
  const ends = events.filter(({ Action, Test }) => Test !== undefined && ["pass", "fail"].includes(Action));
  return Object.fromEntries(
    ends.map(({ Package, Test, Action }) => [
      `${nameOf(Package, packages)}: ${Test}`,
      { total: 1, passed: Action === "pass" ? 1 : 0 },
    ]),
  );
}

function nameOf(found: string, packages: readonly string[]): string {
  return packages.find((name) => found.endsWith(`/${name}`)) ?? ".";
}

function parsed(line: string) {
  try {
    return JSON.parse(line);
  } catch {
    return { Action: "output" };
  }
}

function flat(name: string): string {
  return name === "." ? "root" : name.replaceAll("/", "_");
}
