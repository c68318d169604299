import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { plainTable } from "../../../cli/plain-table.ts";
import { oneLine, printable, reasonOf, styled, Trouble, withPath } from "../../../cli/terminal.ts";
import { temporary } from "../../support/scratch.ts";
import { writeResult } from "../support/cached-results.ts";
import { runCommand, trouble } from "../support/fake-terminal.ts";

describe("printable", () => {
  test.each([
    ["a line\n\tand\r\nanother", "a line\n\tand\r\nanother"],
    ["\u001b]0;title\u0007", "\\u001b]0;title\\u0007"],
    ["hidden\rshown", "hidden\\u000dshown"],
    ["\u009b2J\u007f", "\\u009b2J\\u007f"],
    ["\u202etxt.exe", "\\u202etxt.exe"],
    ["a\u200fb\u200e\u061c\u2028", "a\\u200fb\\u200e\\u061c\\u2028"],
    ["\u001b[31mred\u001b[39m", "\\u001b[31mred\\u001b[39m"],
    ["\n[31m", "\n[31m"],
  ])("%j", (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test("with colors, only the sequences of styles stay, wherever a name has others", () => {
    const name = "\u001b[31mred\u001b[39m \u001b[8mhidden";
    const shown = "\\u001b[31mred\\u001b[39m \\u001b[8mhidden";
    const text = `${name} ${styled({ hasColors: true }, "green", `good ${name}`)} ${styled({ hasColors: false }, "red", name)}`;
    expect(printable(text)).toBe(`${shown} \u001b[32mgood ${shown}\u001b[39m ${shown}`);
  });

  test("a table with colors is as wide as without", () => {
    const table = (hasColors: boolean) => {
      const first = [styled({ hasColors }, "red", "fails"), "\u001b[32mx"];
      return printable(plainTable(["a", "b"], [first, ["y", "z"]]));
    };
    expect(table(true)).toBe("a      b\n\u001b[31mfails\u001b[39m  \\u001b[32mx\ny      z");
    expect(stripVTControlCharacters(table(true))).toBe(table(false));
  });
});

test("a path and the reason are one line, and a fault of our own is none of the file's", () => {
  const failing = (path: string, error: object) => () =>
    withPath(path, () => {
      throw Object.assign(new Error("m"), error);
    });
  expect(failing("a\r\nb", { code: "EROFS" })).toThrow(new Trouble("a\\r\\nb: the file system is read-only"));
  expect(oneLine("a\r\nb")).toBe("a\\r\\nb");
  expect(failing("a", {})).toThrow(/^m$/);
  const reasons = ["EBUSY", "ENAMETOOLONG", "ENOTDIR", "EPERM", "EIO"].map((code) =>
    reasonOf({ code } as NodeJS.ErrnoException),
  );
  expect(reasons).toEqual([
    ...["something is mounted on it", "the name is too long", "a part of the path is not a directory"],
    ...["the file system or its attributes do not allow it", "EIO"],
  ]);
  expect(reasonOf({ code: "EPERM", syscall: "link" } as NodeJS.ErrnoException)).toContain("has no hard links");
});

test("a job's name cannot color the table of preflight", async () => {
  const directory = dirname(fileWith(""));
  const args = [["NOMAD_JOB_ID", "\u001b[32mpasses\u001b[39m\u200f\u061c"]];
  writeResult(directory, { cniArgs: args, netns: "/nowhere" });
  const command = ["preflight", "--cache-dir", directory, "--config-dir", directory];
  const { stdout } = await runCommand(command, { hasColors: true });
  expect(stdout).toContain("\\u001b[32mpasses\\u001b[39m\\u200f\\u061c");
  for (const raw of ["\u001b[32m", "\u200f", "\u061c"]) expect(stdout).not.toContain(raw);
});

function fileWith(text: string): string {
  const file = join(temporary(), "zone.conflist");
  writeFileSync(file, text);
  return file;
}

test("a name in a list cannot send sequences to the terminal", async () => {
  const list = { cniVersion: "1.0.0", name: "\u001b[2J", plugins: [{ type: "\u001b]0;x\u0007" }] };
  const { stdout } = await runCommand(["explain", fileWith(JSON.stringify(list))]);
  expect(stdout).toContain("ADD in the network \\u001b[2J");
  expect(stdout).not.toContain("\u001b");
});

test.each(["lint", "explain", "wrap"])("%s says that a file is nested too deeply", async (command) => {
  const file = fileWith("[".repeat(100_000));
  expect(await runCommand([command, file])).toEqual(trouble(`${file}: its values are nested too deeply`));
});

test.each(["constructor", "__proto__"])("lint reads a plugin of the type %s", async (type) => {
  const list = `{ "cniVersion": "1.0.0", "name": "zone", "plugins": [{ "type": "${type}" }] }`;
  expect(await runCommand(["lint", fileWith(list)])).toMatchObject({ exitCode: 0, stdout: "" });
});

test.each(["constructor", "__proto__"])(
  "explain reads a plugin of the type %s, and a key of that name",
  async (name) => {
    const list = `{ "cniVersion": "1.0.0", "name": "zone", "plugins": [{ "type": "${name}" }, { "type": "ptp", "${name}": 1 }] }`;
    expect(await runCommand(["explain", fileWith(list)])).toMatchObject({ stderr: "" });
  },
);

test("explain reads null as Go does: as no value", async () => {
  const plugins = [
    { type: "macvlan", master: "ens18", mode: null, ipam: { type: "host-local", subnet: "10.1.0.0/24" } },
    { type: "portmap", backend: null, capabilities: { portMappings: null } },
  ];
  const text = JSON.stringify({ cniVersion: "1.0.0", name: "zone", plugins });
  const { stdout } = await runCommand(["explain", fileWith(text), "--port", "8080:80"]);
  expect(stdout).toMatch(/passes: +start, /);
});

test("wrap --write keeps the bytes of a file that is not UTF-8", async () => {
  const file = fileWith("");
  const list =
    '{ "cniVersion": "1.0.0", "name": "zone", "x": "\u00ff", "plugins": [{ "type": "ptp" }, { "type": "bridge" }] }';
  const bytes = Buffer.from(list, "latin1");
  writeFileSync(file, bytes);
  expect(await runCommand(["wrap", "--write", file])).toMatchObject({ exitCode: 2 });
  expect(readFileSync(file)).toEqual(bytes);
});
