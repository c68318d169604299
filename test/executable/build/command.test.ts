import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { calls, root, scratch, writeScript } from "../../support/tree.ts";

/** A clone with programs that print their arguments. The first text in a program's arguments decides its exit code. */
function makeClone(exitCodes: Record<string, number> = {}): string {
  const clone = scratch();
  for (const directory of ["test", "build"]) mkdirSync(join(clone, directory));
  for (const file of ["test/command.mjs", "build/environment.mjs"]) copyFileSync(join(root, file), join(clone, file));
  writeFileSync(join(clone, "build/setup.mjs"), 'console.log(["setup", ...process.argv.slice(2)].join(" "));');
  const ends = Object.entries(exitCodes).map(([text, code]) => `case "$*" in *${text}*) exit ${code};; esac`);
  for (const tool of ["node", "vitest", "biome", "tsc"]) {
    const lines = [`echo ${tool} "$@"`, `echo ${tool} "$@" >>calls`, ...ends];
    writeScript(join(clone, "node_modules/.bin", tool), lines.join("\n"));
  }
  return clone;
}

function run(clone: string, ...args: string[]) {
  const options = { cwd: clone, env: { PATH: "/usr/bin:/bin" }, extendEnv: false, reject: false } as const;
  return execa(process.execPath, ["test/command.mjs", ...args], options);
}

test("set-up and builds go to stderr, the report and its arguments to stdout", async () => {
  const { exitCode, stdout, stderr } = await run(makeClone(), "bench", "--json", "--only", "calls");
  const [setup, ...builds] = stderr.split("\n");
  expect({ exitCode, stdout, setup }).toEqual({
    exitCode: 0,
    stdout: "node test/reports/bench/bench.ts --json --only calls",
    setup: "setup --network --bench",
  });
  // They run side by side.
  expect(builds.sort()).toEqual(["node build/build.ts", "node build/slim/build.ts"]);
});

test("the exit code of the report is the exit code of the script", async () => {
  expect(await run(makeClone({ matrix: 3 }), "matrix")).toMatchObject({ exitCode: 3 });
});

test("a report that can do without the slim flavor runs if its build fails", async () => {
  const clone = makeClone({ slim: 1 });
  expect(await run(clone, "compare")).toMatchObject({ exitCode: 0 });
  expect(calls(clone).at(-1)).toBe("node test/reports/compare/compare.ts");
});

test("a report that needs the slim flavor does not run if its build fails", async () => {
  const clone = makeClone({ slim: 1 });
  expect(await run(clone, "differential")).toMatchObject({ exitCode: 1, stdout: "" });
  expect(calls(clone)).toEqual(["node build/build.ts", "node build/slim/build.ts"]);
});

test("lint stops at the first program that fails", async () => {
  const clone = makeClone({ check: 2 });
  expect(await run(clone, "lint")).toMatchObject({ exitCode: 2 });
  expect(calls(clone)).toEqual(["biome check"]);
});

test("an unknown script is an error that names the scripts", async () => {
  const clone = makeClone();
  const { exitCode, stdout, stderr } = await run(clone, "toString");
  expect([exitCode, stdout, calls(clone)]).toEqual([1, "", []]);
  expect(stderr).toContain("test:nomad, test:only");
});

test("the umask of the caller does not reach the programs", async () => {
  const clone = makeClone();
  await execa("sh", ["-c", 'umask 077; exec "$@"', "sh", process.execPath, "test/command.mjs", "lint"], { cwd: clone });
  expect(statSync(join(clone, "calls")).mode & 0o777).toBe(0o644);
});

test("CI runs the command of the README, and the verdict is its last line", async () => {
  const clone = makeClone({ "command.mjs": 3 });
  for (const file of [".ci/run", "package.json"]) cpSync(join(root, file), join(clone, file));
  const command = /`(npm test)`/.exec(readFileSync(join(root, "README.md"), "utf8"))?.[1];
  const { exitCode, all } = await execa("bash", [join(clone, ".ci/run")], {
    all: true,
    reject: false,
    env: { CDPATH: "/" },
  });
  expect(exitCode).toBe(3);
  expect(all.split("\n").at(-1)).toBe("node test/command.mjs test");
  expect(readFileSync(join(clone, ".ci/run"), "utf8")).toContain(`\nexec ${command}\n`);
});

const packageFile: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const names = Object.entries(packageFile.scripts).flatMap(([name, line]) =>
  line.includes("command.mjs") ? [name] : [],
);

test.each(names)("npm run %s runs programs that exist", async (name) => {
  expect(packageFile.scripts[name]).toBe(`node test/command.mjs ${name}`);
  const clone = makeClone();
  expect(await run(clone, name)).toMatchObject({ exitCode: 0 });
  const files = calls(clone).flatMap((line) => line.match(/[\w./-]+\.(?:ts|json)\b/g) ?? []);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(calls(clone)).not.toEqual([]);
});
