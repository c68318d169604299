import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { built, root, scratch } from "../../support/tree.ts";

const timeout = 120_000;

/** npm and npx run by this Node, without the network. They read no configuration: npx warns of a key that it does not know. */
const offline = (cwd: string) =>
  execa({
    cwd,
    reject: false,
    extendEnv: false,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: cwd,
      npm_config_offline: "true",
      npm_config_globalconfig: "/dev/null",
    },
  });

test("the package needs nothing, and has the version and the license of the repository", () => {
  const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));
  const { version, license, author, repository } = read(join(root, "package.json"));
  const manifest = read(join(built("npm"), "package.json"));
  expect(manifest).toMatchObject({ name: "cni-wrappers", version, license, engines: { node: ">=22" } });
  expect(manifest).toMatchObject({ author, repository });
  expect(manifest).not.toHaveProperty("dependencies");
  expect(manifest).not.toHaveProperty("private");
  expect(readdirSync(built("npm")).sort()).toEqual([
    ...["LICENSE", "README.md", "cni-wrappers.cjs", "commands.cjs", "package.json", "page.html"],
  ]);
  expect(statSync(join(built("npm"), "cni-wrappers.cjs")).mode & 0o111).toBe(0o111);
});

test("npx runs it from the packed package, without the network", { timeout }, async () => {
  const directory = scratch();
  const npm = offline(directory);
  const packed = await npm`npm pack ${built("npm")} --pack-destination ${directory}`;
  expect(packed).toMatchObject({ exitCode: 0 });
  const project = join(directory, "project");
  mkdirSync(project);
  const inProject = offline(project);
  expect(await inProject`npm init --yes`).toMatchObject({ exitCode: 0 });
  expect(await inProject`npm install ${join(directory, packed.stdout.trim())}`).toMatchObject({ exitCode: 0 });

  const examples = join(root, "conf-examples");
  expect(await inProject`npx cni-wrappers lint ${join(examples, "macvlan-bridge.conflist")}`).toMatchObject({
    exitCode: 0,
    stdout: "",
    stderr: "no mistakes in 1 file",
  });
  const wrapped = join(examples, "macvlan-bridge.conflist");
  expect(await inProject`npx cni-wrappers explain --html page.html ${wrapped}`).toMatchObject({
    exitCode: 0,
    stderr: "Wrote page.html.",
  });
  expect(readFileSync(join(project, "page.html"), "utf8")).toContain('<script type="application/json" id="given">"{');
  const faulty = join(root, "test/fixtures/lint/plugin-value/err-number-as-text.conflist");
  const found = await inProject`npx cni-wrappers lint ${faulty}`;
  expect(found.exitCode).toBe(1);
  expect(found.stdout).toContain(":8:14: error: mtu must be a number [plugin-value]");
});

test("an older Node gets one line, and exit code 2", async () => {
  const script = `Object.defineProperty(process, "version", { value: "v20.1.0" });
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } });
    require(${JSON.stringify(join(built("npm"), "cni-wrappers.cjs"))});`;
  expect(await execa({ reject: false })`${process.execPath} --eval ${script}`).toMatchObject({
    exitCode: 2,
    stdout: "",
    stderr: "cni-wrappers: Node 22 or newer is needed, and this is v20.1.0",
  });
});
