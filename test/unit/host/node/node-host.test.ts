import * as fs from "node:fs";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";

vi.mock("node:fs", async (original) => {
  const actual = await original<typeof fs>();
  return { ...actual, writeSync: vi.fn(actual.writeSync) };
});
// The build defines these.
vi.stubGlobal("__VERSION__", "1.2.3");
vi.stubGlobal("__COMMIT__", "abcdef");

const folder = mkdtempSync(join(tmpdir(), "cni-wrappers-unit-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Lines of several processes stay whole only if each line is one write.
test("a line of the log is one write, at any length", async () => {
  const { nodeHost } = await import("../../../../shared/host/node/node-host.ts");
  const line = `${"é".repeat(500_000)}\n`;
  nodeHost().appendLine(join(folder, "log"), line);
  expect(fs.writeSync).toHaveBeenCalledTimes(1);
  expect(readFileSync(join(folder, "log"), "utf8")).toBe(line);
});

test.each(["EPIPE", "EAGAIN", "EBADF", "ENOSPC"])("%s on stderr does not fail the call", async (code) => {
  const { nodeHost } = await import("../../../../shared/host/node/node-host.ts");
  vi.mocked(fs.writeSync).mockImplementationOnce(() => {
    throw Object.assign(new Error(code), { code });
  });
  expect(() => nodeHost().writeStderr("warning\n")).not.toThrow();
  expect(fs.writeSync).toHaveBeenLastCalledWith(2, "warning\n");
});
