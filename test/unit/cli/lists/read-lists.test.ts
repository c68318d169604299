import { execFileSync } from "node:child_process";
import { closeSync, lchownSync, openSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { longestList, readOpened } from "../../../../cli/files/read-input.ts";
import { readListFile } from "../../../../cli/lists/find-files.ts";
import { networksIn } from "../../../../cli/live/networks.ts";
import { scratch } from "../../../support/scratch.ts";
import { runCommand, trouble } from "../../support/fake-terminal.ts";
import { writeList } from "../../support/written.ts";

// Anybody who may write to a directory of lists can put anything there under the name of a list.

const directory = scratch();

const commands = [["lint"], ["explain"], ["wrap"], ["unwrap"], ["preflight", "--config-dir", ".", "--with"]];
const run = (...args: string[]) => runCommand(args, { directory });

const made: Record<string, (file: string) => void> = {
  "a pipe, which nobody writes to": (file) => execFileSync("mkfifo", [file]),
  "a device without an end": (file) => symlinkSync("/dev/zero", file),
  "a file of 2 MiB": (file) => writeFileSync(file, "{".padEnd(2 * longestList)),
  "a link of another user": (file) => {
    writeFileSync(join(directory, "secret"), "{}");
    symlinkSync("secret", file);
    lchownSync(file, 65534, 65534);
  },
  "a list with 3,000 plugins": (file) => writeList(file, ...Array(3000).fill({ type: "bridge-wrapper" })),
};

const reasons: Record<string, string> = {
  "a pipe, which nobody writes to": "it is not a regular file; write its content into one",
  "a device without an end": "it is not a regular file; write its content into one",
  "a file of 2 MiB": "it has more than 1 MiB",
  "a link of another user": "it is a link of another user, which may lead anywhere; name its file",
  "a list with 3,000 plugins": "it has 3000 plugins; a list has at most 256",
};

test.each(Object.entries(made))("no command reads %s", async (name, make) => {
  make(join(directory, "zone.conflist"));
  for (const command of commands)
    expect(await run(...command, "zone.conflist"), command[0]).toEqual(trouble(`zone.conflist: ${reasons[name]}`));
});

test.each(commands)("%s prints no line of a file with secrets", async (...command) => {
  writeFileSync(join(directory, "shadow"), "root:$6$hidden:20000:0:99999:7:::\nuser:!:20000::::::\n");
  symlinkSync("shadow", join(directory, "zone.conflist"));
  const { exitCode, stdout, stderr } = await run(...command, "zone.conflist");
  expect(exitCode).toBeGreaterThan(0);
  expect(stdout + stderr).not.toMatch(/hidden|user:/);
});

test("stdin without an end is not read to its end", () => {
  const zero = openSync("/dev/zero", "r");
  expect(() => readOpened("stdin", zero, longestList)).toThrow("stdin: it has more than 1 MiB");
  closeSync(zero);
});

const nearMisses = Array.from({ length: 4000 }, (_, index) => `"isGate${index.toString(26).padStart(3, "a")}": 1`);
const duplicates = Array.from({ length: 20_000 }, () => '"mtu": 1500');

test("lint finds 30,000 equal ranges in less than 10 seconds", async () => {
  const ranges = Array.from({ length: 30_000 }, () => [{ subnet: "10.0.0.0/24" }]);
  writeList(join(directory, "zone.conflist"), { type: "bridge", ipam: { type: "host-local", ranges } });
  const started = performance.now();
  const { stdout } = await run("lint", "zone.conflist");
  expect(stdout).toContain("the range overlaps an earlier range of this plugin");
  expect(performance.now() - started).toBeLessThan(10_000);
});

test.each([
  ["4,000 misspelled keys", nearMisses, "4000 warnings in 1 of 1 file\n"],
  ["20,000 equal keys", duplicates, "19999 warnings in 1 of 1 file\n"],
  ["50,000 values of a wrong type", [`"vlanTrunk": [${"true, ".repeat(49_999)}true]`], "50000 errors in 1 of 1 file\n"],
])("lint finds %s in one line in less than 10 seconds, and shows the line around each", async (_, keys, stderr) => {
  const list = `{ "cniVersion": "1.0.0", "name": "zone", "plugins": [{ "type": "bridge", ${keys.join(", ")} }] }`;
  writeFileSync(join(directory, "zone.conflist"), list);
  const start = performance.now();
  const outcome = await run("lint", "zone.conflist");
  expect(performance.now() - start).toBeLessThan(10_000);
  expect(outcome.stderr).toBe(stderr);
  expect(outcome.stdout.split("\n").filter(({ length }) => length >= 1000)).toEqual([]);
  expect(outcome.stdout).toMatch(/^ {3}\| {202}\^~+$/m);
});

test("a file whose end is nearly .conflist is read, a backup and another file are not, and no runtime loads any of them", async () => {
  const plugin = '{ "cniVersion": "1.0.0", "name": "zone", "type": "bridge", "ipam": { "type": "dhcp" } }';
  const others = ["zone.conflist~", "zone.conflist1", "zone.conflist.bak", "zone.config", "zone.json5", "conflist"];
  for (const name of [...others, "zone.conflits"]) writeFileSync(join(directory, name), plugin);
  expect(await run("lint", ".")).toMatchObject({ exitCode: 1, stderr: "1 error in 1 of 1 file\n" });
  expect(networksIn([readListFile("zone.conflits", directory)]).size).toBe(0);
  expect(networksIn([{ ...readListFile("zone.conflits", directory), path: "zone.conf" }]).size).toBe(1);
});
