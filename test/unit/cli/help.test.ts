import { expect, test } from "vitest";
import { programOf } from "../../../cli/program.ts";
import type { Terminal } from "../../../cli/terminal.ts";
import { runCommand, trouble } from "../support/fake-terminal.ts";

test("the help of each command says what it, its argument and each of its options do, with an example", () => {
  const { commands } = programOf({ release: { version: "1", commit: "a" }, width: 80 } as Terminal);
  expect(commands.length).toBeGreaterThan(10);
  for (const command of commands) {
    const shown = [...command.options.filter(({ hidden }) => !hidden), ...command.registeredArguments];
    const texts = [command.summary(), command.description(), ...shown.map(({ description }) => description)];
    for (const text of texts) expect(text, `${command.name()}: ${JSON.stringify(texts)}`).toMatch(/^\S+ \S.*\S$/);
    expect(command).toMatchObject({ example: expect.stringMatching(`^cni-wrappers ${command.name()}( \\S+)*$`) });
  }
});

test("the program's help names its commands and the exit codes, in lines of 100 characters at most", async () => {
  const { stdout, ...rest } = await runCommand(["--help"], { width: 300 });
  expect(rest).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toMatch(/^Usage: cni-wrappers \[options\] \[command\]\n\nTools for network configuration lists/);
  for (const words of ["-V, --version +print the version", "-h, --help +print help", "prune \\[options\\] +\\w+"])
    expect(stdout).toMatch(RegExp(`^  ${words}`, "m"));
  expect(stdout).toContain(`
Exit codes:
  0  All that was asked about was looked at, and is good.
  1  Something is wrong, or is left to do.
  2  Something could not be looked at, or not be done, even if something else is wrong.
`);
  expect(Math.max(...stdout.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(100);
  expect((await runCommand(["--version"])).stdout).toBe("1.2.3 (abc)\n");
});

test("help of a command is its --help, and passes; of no command it is trouble", async () => {
  // As the program sets it before it begins.
  const before = process.exitCode;
  process.exitCode = 2;
  try {
    const shown = await runCommand(["lint", "--help"]);
    expect(await runCommand(["help", "lint"])).toEqual(shown);
    for (const words of [["help"], ["help", "help"], ["help", "-h"]])
      expect(await runCommand(words)).toEqual(await runCommand(["--help"]));
    expect(shown).toMatchObject({ exitCode: 0, stderr: "" });
    const { exitCode, stdout, stderr } = await runCommand(["help", "lnit"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(/^cni-wrappers: there is no command lnit; the commands are lint, .*, version\n$/);
  } finally {
    process.exitCode = before;
  }
});

const given: Readonly<Record<string, string>> = {
  ...{ explain: "zone.conflist", lint: "zone.conflist", try: "zone.conflist", wrap: "zone.conflist" },
  ...{ unwrap: "zone.conflist", new: "macvlan+bridge" },
};

test("no option takes an empty text, as an unset variable of a script is, for all or for the working directory", async () => {
  const { commands } = programOf({ release: { version: "1", commit: "a" }, width: 80 } as Terminal);
  const empty = commands.flatMap((command) =>
    command.options.filter(({ required }) => required).map(({ long }) => [command.name(), long ?? ""] as const),
  );
  expect(empty.length).toBeGreaterThan(60);
  for (const [command, long] of empty) {
    const { exitCode, stdout, stderr } = await runCommand([command, long, "", given[command] ?? []].flat());
    expect({ command, exitCode, stdout }).toEqual({ command, exitCode: 2, stdout: "" });
    expect(stderr).toMatch(RegExp(`^cni-wrappers: .*${long} .*( is empty: | is invalid\\. |the verbs are )`));
  }
});

test("a wrong word is trouble, without control characters, and a fault of our own says where", async () => {
  expect(await runCommand(["lnit"])).toMatchObject({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringMatching(/^cni-wrappers: unknown command 'lnit'\n/),
  });
  expect(await runCommand(["lint", "\u001b[2J"])).toEqual(trouble("\\u001b[2J: there is no such file"));
  const write = () => {
    throw new Error("no more");
  };
  expect(await runCommand(["schema"], { write })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^cni-wrappers: Error: no more\n +at /),
  });
});
