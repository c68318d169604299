import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { execa } from "execa";
import { expect } from "vitest";
import { built } from "../../../support/tree.ts";
import { bin, errorOf, test } from "../../support/machine.ts";

const file = join(bin, "cni-wrappers");

test("it is static, and at most 2.5 MB with musl, as it is released", async () => {
  const { stdout } = await execa`readelf --program-headers --wide ${file}`;
  expect(stdout).toContain("LOAD");
  expect(stdout).not.toMatch(/INTERP|DYNAMIC/);
  expect(statSync(file).size).toBeLessThanOrEqual(bin.includes("-musl/") ? 2.5e6 : 3.3e6);
});

test("the functions that a call uses are side by side, and the data in the file ends with a page", async () => {
  const { stdout } = await execa`readelf --section-headers --program-headers --wide ${file}`;
  const sizes = new Map(
    [...stdout.matchAll(/(\.\S+) +PROGBITS +(?:[0-9a-f]+ +){2}([0-9a-f]+)/g)].map(([, name, size]) => [
      name,
      Number(`0x${size}`),
    ]),
  );
  expect(sizes.get(".text.first")).toBeGreaterThan(bin.includes("-musl/") ? 240_000 : 750_000);
  expect(sizes.get(".rodata.first")).toBeGreaterThan(20_000);
  const [, address, size] = /LOAD +\S+ (\S+) \S+ (\S+) \S+ RW /.exec(stdout) ?? [];
  if (sizes.has(".image")) expect((Number(address) + Number(size)) % 4096).toBe(0);
});

test.each([["--help"], ["lint", "zone.conflist"]])(
  "with %s it says what it is, what it can do, and that it has no commands",
  async (...args) => {
    const { exitCode, stdout } = await execa(file, args, { env: {}, extendEnv: false, reject: false });
    expect(exitCode).toBe(2);
    expect(stdout).toContain("slim flavor");
    expect(stdout).toContain("it has no commands and no options");
    expect(stdout).toContain("are in the Node flavor and in the npm package: docs/commands.md");
    for (const verb of ["ADD", "CHECK", "DEL", "GC", "STATUS", "VERSION"]) expect(stdout).toContain(verb);
  },
);

test("a runtime's call of a wrapper runs a plugin, with any arguments", async () => {
  const env = { CNI_COMMAND: "VERSION", CNI_PATH: "dummy" };
  const { exitCode, stdout } = await execa(join(bin, "bridge-wrapper"), ["--help"], {
    env,
    extendEnv: false,
    input: "{}",
  });
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ cniVersion: "1.1.0" });
});

test("wrapper.jq is refused in favor of the flavor that has jq, and DEL goes on without it", async ({ machine }) => {
  const configuration = { wrapper: { jq: "." } };
  expect(errorOf(await machine.call({ configuration }))).toMatchObject({
    code: 7,
    msg: "invalid plugin configuration: wrapper.jq is not available in this build: use the Node flavor",
  });
  expect(await machine.call({ command: "DEL", configuration })).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(String(machine.received("DEL")))).toMatchObject({ type: "plain" });
});

/** The source files in the bundle, by esbuild's list. */
function inputs(): string[] {
  const { outputs } = JSON.parse(readFileSync(built("slim/bundles/core.json"), "utf8")) as Metafile;
  return Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
}

test("the core is in the bundle, and no package", () => {
  const core = inputs();
  expect(core).toEqual(expect.arrayContaining(["shared/run.ts", "shared/attachment/narrow.ts", "shared/verbs/add.ts"]));
  expect(core.filter((path) => path.includes("node_modules"))).toEqual([]);
});
