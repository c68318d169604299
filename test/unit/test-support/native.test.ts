import { chmodSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { nativeProgram } from "../../support/native.ts";
import { scratch } from "../../support/scratch.ts";

const directory = scratch();

function write(name: string, text: string): string {
  const file = path.join(directory, name);
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  return file;
}

// cargo-zigbuild looks in PATH for the Python that has zig.
test("a compiler finds the programs next to it", async () => {
  write("beside", '[ "$1" = --version ] && echo "$0" || { [ "$1" = -static ]; shift 4; echo program >"$1"; }');
  const program = await nativeProgram("floor", [write("compiler", 'exec beside "$@"')]);
  expect(path.basename(program)).toBe("floor");
  rmSync(path.dirname(program), { recursive: true });
});

test("why it cannot compile is one line, without the compiler's stack trace", async () => {
  const trace =
    "Error: Failed to find zig\\n\\nCaused by:\\n    cannot find binary path\\n\\nStack backtrace:\\n   0: main\\n";
  const compiler = write("compiler", `printf '${trace}' >&2; exit 1`);
  await expect(nativeProgram("floor", [compiler])).rejects.toThrow(
    /^compiler cannot compile: Error: Failed to find zig$/,
  );
  await expect(nativeProgram("floor", ["no-such-compiler"])).rejects.toThrow(
    /^no-such-compiler cannot compile: .*ENOENT$/,
  );
});
