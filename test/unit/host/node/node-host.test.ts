import fs, { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { ip } from "../../../../shared/host/node/ip.ts";
import { nodeHost } from "../../../../shared/host/node/node-host.ts";
import { scratch } from "../../../support/scratch.ts";
import { replaceFileFunctions } from "../../support/file-functions.ts";
import { setVariable, writeProgram } from "../../support/programs.ts";

const restore = replaceFileFunctions({ writeSync: vi.fn(fs.writeSync) as unknown as typeof fs.writeSync });
// The build defines these.
vi.stubGlobal("__VERSION__", "1.2.3");
vi.stubGlobal("__COMMIT__", "abcdef");

const folder = scratch();
afterAll(() => {
  restore();
  vi.unstubAllGlobals();
});

// Lines of several processes stay whole only if each line is one write.
test("a line of the log is one write, at any length", () => {
  const line = `${"é".repeat(500_000)}\n`;
  nodeHost().appendLine(join(folder, "log"), line);
  expect(fs.writeSync).toHaveBeenCalledTimes(1);
  expect(readFileSync(join(folder, "log"), "utf8")).toBe(line);
});

test.each(["EPIPE", "EAGAIN", "EBADF", "ENOSPC"])("%s on stderr does not fail the call", (code) => {
  vi.mocked(fs.writeSync).mockImplementationOnce(() => {
    throw Object.assign(new Error(code), { code });
  });
  expect(() => nodeHost().writeStderr("warning\n")).not.toThrow();
  expect(fs.writeSync).toHaveBeenLastCalledWith(2, "warning\n");
});

const directory = scratch();

test("an answer of ip(8) may have 8 MiB: a host can have thousands of routes", () => {
  writeProgram(join(directory, "ip"), 'head -c "$1" /dev/zero | tr "\\0" x');
  setVariable("PATH", `${directory}:${process.env.PATH}`);
  const size = 8 * 1024 * 1024;
  expect(ip([`${size}`], "")?.length).toBe(size);
});

test("no file of a delegate's stdin stays open: a call can run thousands of delegates", () => {
  const plugin = join(directory, "plugin");
  writeProgram(plugin, "cat");
  const open = () => readdirSync("/proc/self/fd").length;
  const before = open();
  // /dev/shm is full.
  vi.mocked(fs.writeSync).mockImplementationOnce(() => {
    throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
  });
  const answer = nodeHost().spawn(plugin, {}, { stdin: "text", limit: 100 });
  expect(answer).toMatchObject({ ended: "exit", exitCode: 0 });
  expect(answer.ended === "exit" && answer.stdout.decodeUtf8()).toBe("text");
  expect(open()).toBe(before);
});
