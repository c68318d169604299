import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const module = path.resolve(import.meta.dirname, "../../kernel/second-kernel.ts");

test("a signal that ends a run removes the folder of the boots", async () => {
  const program = `
    import { withFolder } from ${JSON.stringify(module)};
    await withFolder((folder) => {
      process.stdout.write(folder);
      return new Promise((resolve) => setTimeout(resolve, 60_000));
    });`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program]);
  const [folder] = await once(child.stdout, "data");
  expect(existsSync(String(folder))).toBe(true);
  child.kill("SIGTERM");
  await once(child, "close");
  expect(existsSync(String(folder))).toBe(false);
});
