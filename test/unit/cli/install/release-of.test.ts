import childProcess from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { releaseOf, releaseOrProblem } from "../../../../cli/install/release-of.ts";
import { scratch } from "../../../support/scratch.ts";
import { replaceFunctions } from "../../support/file-functions.ts";
import { setVariable } from "../../support/programs.ts";

const directory = scratch();

function program(script: string, mode = 0o755): string {
  const path = join(directory, "program");
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode });
  return path;
}

const answer = (version = "CNI cni-wrappers plugin v1.0.0", commit = "Built from commit abc") =>
  `printf '%s\\n' 'CNI protocol versions supported' '${version}' '${commit}'`;

test.each<[string, string, "node" | "slim" | undefined]>([
  ["that has --version", answer(), "node"],
  ["that has not", `[ "$1" != --version ] || exit 2; ${answer()}`, "slim"],
  ["that fails", `${answer()}; exit 1`, undefined],
  ["that is another program", "echo hello", undefined],
  ["without a commit", answer(undefined, ""), undefined],
  ["without a version", answer(""), undefined],
  ["that says more before the version", answer("no CNI x plugin v1.0.0"), undefined],
  ["that says more after it", answer("CNI x plugin v1.0.0 of x"), undefined],
  ["that says more before the commit", answer(undefined, "not Built from commit abc"), undefined],
  ["that says more after it", answer(undefined, "Built from commit abc of x"), undefined],
])("the release of an executable %s: %s", (_, script, flavor) => {
  expect(releaseOf(program(script))).toEqual(flavor && { version: "1.0.0", commit: "abc", flavor });
});

test("an executable runs as a runtime runs it, with PATH and no other variable of the caller", () => {
  setVariable("CNI_COMMAND", "ADD");
  expect(releaseOf(program(answer("CNI x plugin v'$PATH'|'$CNI_COMMAND'")))?.version).toBe(`${process.env.PATH}|`);
});

test("a program that the system does not run is trouble, and no release", () => {
  const path = program(answer(), 0o644);
  expect(() => releaseOf(path)).toThrow(`${path}: it is not executable; run: chmod 755 ${path}`);
  expect(releaseOrProblem(path).release).toBeUndefined();
  expect(() => releaseOf(`${path}/x`)).toThrow(`${path}/x: a part of the path is not a directory`);
});

const { spawnSync } = childProcess;

/** Replaces `spawnSync` until the test ends. */
function replaceSpawn(by: (path: string, words: string[], options: childProcess.SpawnSyncOptions) => object): void {
  onTestFinished(replaceFunctions(childProcess, { spawnSync: by as typeof spawnSync }));
}

// The unit tests mount nothing.
test("a program with the right mode that the system does not run may be on a file system that runs none", () => {
  const path = program(answer());
  replaceSpawn(() => ({ error: Object.assign(new Error("spawn"), { code: "EACCES" }) }));
  const why = `the system runs no program in ${dirname(directory)}: is its file system mounted with noexec?`;
  expect(() => releaseOf(path)).toThrow(`${path}: ${why}`);
  expect(releaseOrProblem(path).release).toBeUndefined();
});

test("a fault of the command's own is not taken for a program that is not ours", () => {
  const path = program(answer());
  replaceSpawn(() => {
    throw new TypeError("a fault");
  });
  expect(() => releaseOrProblem(path)).toThrow("a fault");
});

test("a program that gives no answer is killed after half a minute, and called as a runtime calls the executable", () => {
  const calls: unknown[] = [];
  replaceSpawn((path, words, options) => {
    calls.push([options.argv0, options.timeout, options.killSignal]);
    return spawnSync(path, words, { ...options, timeout: (options.timeout ?? 0) / 300 });
  });
  const path = program("exec sleep 5");
  expect(() => releaseOf(path)).toThrow(`${path}: it gave no answer within 30 seconds`);
  expect(calls).toEqual([["cni-wrappers", 30_000, "SIGKILL"]]);
});

test.each(["nothing", "a directory", "a link"])("%s has no release", (what) => {
  if (what === "a link") symlinkSync(program(answer()), join(directory, "link"));
  if (what === "a directory") mkdirSync(join(directory, "program"));
  expect(releaseOrProblem(join(directory, what === "a link" ? "link" : "program")).release).toBeUndefined();
});
