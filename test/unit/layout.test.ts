import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { allNodesOf, type Node } from "../support/syntax.ts";

const root = join(import.meta.dirname, "../..");
const sources = globSync("{shared,plugins,cli,build,conformance}/**/*.{ts,mjs}", { cwd: root }).sort();
const nodes = new Map(sources.map((file) => [file, nodesIn(file)]));
const imports = new Map(sources.map((file) => [file, importsOf(file)]));

/** A file imports only files of its own row and of the rows above it. */
const layers = [
  /^shared\/protocol\//,
  /^shared\/host\/[^/]+$/,
  /^shared\/plugin\//,
  /^shared\/attachment\//,
  /^shared\/journal\//,
  /^shared\/call\//,
  /^shared\/delegate\//,
  /^shared\/verbs\//,
  /^shared\/[^/]+$/,
  /^plugins\//,
  /^shared\/host\/(?:node|slim)\//,
  /^cli\//,
];

function nodesIn(file: string): Node[] {
  return allNodesOf(readFileSync(join(root, file), "utf8")).map(({ node }) => node);
}

/** Every relative path of a module in a source is an import: of values, of types, at the top or when it is needed. */
function importsOf(file: string): string[] {
  return pathsIn(file).filter((path) => sources.includes(path));
}

function pathsIn(file: string): string[] {
  const paths = (nodes.get(file) ?? []).flatMap(({ type, value }) =>
    type === "StringLiteral" && /^\.\.?\/.*\.(?:ts|mjs)$/.test(String(value)) ? [String(value)] : [],
  );
  return paths.map((path) => join(dirname(file), path));
}

/** The files of a circle that this file begins, or nothing. */
function circleFrom(start: string): string[] {
  const cameFrom = new Map<string, string>();
  const next = [start];
  for (const file of next) {
    for (const imported of imports.get(file) ?? []) {
      if (imported === start) return pathTo(file, cameFrom);
      if (cameFrom.has(imported)) continue;
      cameFrom.set(imported, file);
      next.push(imported);
    }
  }
  return [];
}

function pathTo(file: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const before = cameFrom.get(file);
  return before === undefined ? [file] : [...pathTo(before, cameFrom), file];
}

function layerOf(file: string): number {
  return layers.findIndex((layer) => layer.test(file));
}

function linesOf({ loc: { start, end } }: Node): number {
  return end.line - start.line + 1;
}

describe("imports", () => {
  test("no file imports itself, directly or through others", () => {
    expect(sources.map(circleFrom).filter((circle) => circle.length > 0)).toEqual([]);
  });

  test("the product and its build import no code of the tests", () => {
    expect(sources.filter((file) => pathsIn(file).some((path) => path.startsWith("test/")))).toEqual([]);
  });

  test("cni-conformance imports no code of the wrappers", () => {
    const own = sources.filter((file) => file.startsWith("conformance/"));
    const others = own.flatMap((file) => pathsIn(file).filter((path) => !path.startsWith("conformance/")));
    expect(new Set(others)).toEqual(new Set(["build/holder.ts"]));
  });

  const layered = sources.filter((file) => /^(?:shared|plugins|cli)\//.test(file));

  test("each file of shared/, plugins/ and cli/ is in a layer", () => {
    expect(layered.filter((file) => layerOf(file) < 0)).toEqual([]);
  });

  test("no file imports from a layer after its own", () => {
    const pairs = layered.flatMap((file) => (imports.get(file) ?? []).map((imported) => [file, imported] as const));
    expect(pairs.length).toBeGreaterThan(layered.length);
    expect(pairs.filter(([file, imported]) => layerOf(imported) < 0 || layerOf(imported) > layerOf(file))).toEqual([]);
  });
});

test("the repository has no other folder: nothing that a test left is in it", () => {
  const { stdout } = spawnSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" });
  const folders = stdout.split("\0").flatMap((file) => /^([^./][^/]*)\//.exec(file)?.[1] ?? []);
  const named = ["build", "cli", "conf-examples", "conformance", "docs", "plugins", "shared", "test", "upstream"];
  expect([...new Set(folders)].sort()).toEqual(named);
});

test("adopt and preflight do not import each other", () => {
  const pairs = sources.flatMap((file) => (imports.get(file) ?? []).map((imported) => `${file} ${imported}`));
  expect(
    pairs.filter((pair) => /^cli\/adopt\/.* cli\/preflight\/|^cli\/preflight\/.* cli\/adopt\//.test(pair)),
  ).toEqual([]);
});

test("no two files of the core have one name", () => {
  const core = sources.filter((file) => /^shared\/(?!host\/)/.test(file)).map((file) => basename(file));
  expect(core.filter((name, index) => core.indexOf(name) !== index)).toEqual([]);
});

describe("sizes", () => {
  test("a function has at most 40 lines", () => {
    const long = sources.flatMap((file) =>
      (nodes.get(file) ?? [])
        .filter((node) => /Function(?:Declaration|Expression)$|Method$/.test(node.type) && linesOf(node) > 40)
        .map((node) => `${file}:${node.loc.start.line} has ${linesOf(node)} lines`),
    );
    expect(long).toEqual([]);
  });

  test("no function of the core has more than three parameters", () => {
    const many = sources
      .filter((file) => /^shared\/(?!host\/)/.test(file))
      .flatMap((file) =>
        (nodes.get(file) ?? [])
          .filter(({ type, params }) => /Function|Method/.test(type) && Array.isArray(params) && params.length > 3)
          .map((node) => `${file}:${node.loc.start.line}`),
      );
    expect(many).toEqual([]);
  });

  test("a file has at most 300 lines, without the marks of its guards", () => {
    const isMark = (line: string) => line.trim().startsWith("// guard: ");
    const linesOf = (file: string) => readFileSync(join(root, file), "utf8").trimEnd().split("\n");
    const counts = sources.map((file) => [file, linesOf(file).filter((line) => !isMark(line)).length]);
    expect(counts.filter(([, lines]) => Number(lines) > 300)).toEqual([]);
  });
});
