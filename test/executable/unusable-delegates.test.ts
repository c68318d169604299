import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { skipEmulated } from "./support/emulator.ts";
import { errorOf, test } from "./support/machine.ts";

const elf = readFileSync("/bin/true");

/** The beginning of an ELF file with a part of its header changed. */
function changed(change: (header: Buffer) => void): Buffer {
  const copy = Buffer.from(elf);
  change(copy);
  return copy;
}

/** Files that may be in a plugin directory instead of the plugin. */
const files: [string, string | Uint8Array][] = [
  ["an empty file", ""],
  ["a text", "<html>404 Not Found</html>\n"],
  ["a script whose interpreter is missing", "#!/nowhere/python3\n"],
  ["a script with the line ends of another system", "#!/bin/sh\r\nexit 0\r\n"],
  ["a script whose interpreter is a directory", "#!/tmp\n"],
  ["an executable for another machine", changed((header) => header.writeUInt16LE(0xf3, 18))],
  [
    "an executable whose interpreter is missing",
    changed((header) => header.write("/nowhere", header.indexOf("/lib"), "latin1")),
  ],
  ["an object file", changed((header) => header.writeUInt16LE(1, 16))],
  ["a download that ended in the header", elf.subarray(0, 64)],
  ["a download that ended in the program headers", elf.subarray(0, 200)],
];

const folder = mkdtempSync(join(tmpdir(), "cni-wrappers-executable-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// The wrapper never hands over to a file that was written in the last 2 s, because somebody may still be writing it.
beforeAll(async () => {
  for (const [index, [, content]] of files.entries())
    writeFileSync(join(folder, `file${index}`), content, { mode: 0o755 });
  writeFileSync(join(folder, "truncated"), elf.subarray(0, 8000), { mode: 0o755 });
  const { ctimeMs } = statSync(join(folder, "truncated"));
  await sleep(ctimeMs + 2000 - Date.now());
});

// Linux gives the child its parent's memory. The child leaves the error of a failed execve there.
const lostError = "qemu's clone copies the memory, so the error of a child's execve does not reach the wrapper";

describe.each(files.map(([title], index) => [title, `file${index}`] as const))("%s", (_, delegate) => {
  test.for(["ADD", "CHECK"])("%s: code 104, and not a word more", async (command, { machine, skip }) => {
    skipEmulated(skip, lostError);
    const ended = await machine.call({ command, delegate, env: { CNI_PATH: folder } });
    expect(ended).toMatchObject({ exitCode: 1, signal: undefined, stderr: "" });
    expect(errorOf(ended)).toMatchObject({
      code: 104,
      msg: `delegate ${delegate} cannot be started`,
      details: expect.stringContaining(`${join(folder, delegate)} is not an executable for this machine`),
    });
  });
});

test("a download that ended behind the headers dies as it does without a wrapper", async ({ machine }) => {
  const call = { command: "DEL", delegate: "truncated", env: { CNI_PATH: folder } };
  const [wrapped, bare] = [await machine.call(call), await machine.call({ ...call, path: join(folder, "truncated") })];
  expect(wrapped).toEqual(bare);
});

test.for(["ADD", "CHECK", "STATUS"])(
  "%s: a file without the permission is named: code 100, or 50 on STATUS",
  async (command, { machine }) => {
    machine.file("delegate", "#!/bin/sh\n");
    const ended = await machine.call({ command, delegate: "delegate", env: { CNI_PATH: machine.directory } });
    expect(errorOf(ended)).toMatchObject({
      code: command === "STATUS" ? 50 : 100,
      details: expect.stringContaining(`${machine.path("delegate")} (not executable)`),
    });
  },
);

test.for(["ADD", "CHECK"])("%s: a file that somebody is writing, code 104", async (command, { machine, skip }) => {
  skipEmulated(skip, lostError);
  const writer = openSync(machine.file("delegate", elf, 0o755), "r+");
  const ended = await machine.call({ command, delegate: "delegate", env: { CNI_PATH: machine.directory } });
  closeSync(writer);
  expect(ended).toMatchObject({ exitCode: 1, signal: undefined, stderr: "" });
  expect(errorOf(ended)).toMatchObject({ code: 104, details: expect.stringContaining("ETXTBSY") });
});
