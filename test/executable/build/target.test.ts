import { copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { machine } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { root, scratch, writeScript } from "../../support/tree.ts";

const target = `${machine()}-unknown-linux-musl`;

/** Runs `test/target.ts` in a tree whose vitest prints the directory of the tested executables. */
function runIn(tree: string) {
  mkdirSync(join(tree, "test/support"), { recursive: true });
  for (const file of ["test/target.ts", "test/support/program.ts"]) copyFileSync(join(root, file), join(tree, file));
  writeScript(join(tree, "node_modules/.bin/vitest"), 'echo "$CNI_WRAPPERS_BIN"');
  symlinkSync(join(root, "node_modules/execa"), join(tree, "node_modules/execa"));
  return execa({ cwd: tree, reject: false })`${process.execPath} test/target.ts ${target}`;
}

test("the executables of the target are tested", async () => {
  const tree = scratch();
  const bin = join(tree, "dist/slim", target, "bin");
  mkdirSync(bin, { recursive: true });
  expect(await runIn(tree)).toMatchObject({ exitCode: 0, stdout: bin });
});

test("without a build of the target there is nothing to test", async () => {
  const { exitCode, stderr } = await runIn(scratch());
  expect(exitCode).toBe(1);
  expect(stderr).toBe(`test:target: no executables for ${target}: npm run build:slim -- --target <target>`);
});
