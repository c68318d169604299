import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { Argument, Command } from "commander";
import { beforeAll, describe, expect, test } from "vitest";
import { option, ProgramCommand } from "../../../cli/command.ts";
import { bashCompletion, fishCompletion, manPage } from "../../../cli/reference.ts";
import { runCommand } from "../support/fake-terminal.ts";

const printed = async (...args: string[]) => {
  const { exitCode, stdout, stderr } = await runCommand(args);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return stdout;
};
const names = readdirSync(join(import.meta.dirname, "../../../cli/commands")).map((file) => basename(file, ".ts"));
const scripts = { bash: "", zsh: "", fish: "" };

beforeAll(async () => {
  for (const shell of ["bash", "zsh", "fish"] as const) scripts[shell] = await printed("completion", shell);
});

function run(program: string, args: readonly string[], input: string) {
  const { error, status, stdout, stderr } = spawnSync(program, args, { input, encoding: "utf8" });
  if (error) throw error;
  return { status, stdout, stderr };
}

/** The words that bash offers for the last one. */
function completed(...words: string[]): string[] {
  const [last = "", previous = ""] = [...words].reverse();
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const call = `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _cni_wrappers ${words[0]} '${last}' '${previous}'`;
  const { status, stdout, stderr } = run("bash", [], `${scripts.bash}\n${call}\nprintf '%s\\n' "\${COMPREPLY[@]}"\n`);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.split("\n").filter(Boolean);
}

describe("bash completes", () => {
  test.each([
    [["cni-wrappers", "li"], ["lint"]],
    [["cni-wrappers", "--v"], ["--version"]],
    [["cni-wrappers", "lint", "--fo"], ["--format"]],
    [["cni-wrappers", "lint", "--format", "j"], ["json"]],
    [["cni-wrappers", "completion", "f"], ["fish"]],
    // bash completes names of files.
    [["cni-wrappers", "lint", "--state", "/var"], []],
    [["cni-wrappers", "lint", "zo"], []],
  ])("%j", (words, offered) => expect(completed(...words)).toEqual(offered));

  test("all commands", () => expect(completed("cni-wrappers", "")).toEqual(expect.arrayContaining(names)));
});

test.each([
  ["bash", ["-n"]],
  ["zsh", ["-n"]],
  ["fish", ["--no-execute"]],
] as const)("the script for %s has no syntax error, and every command, option and value", (name, flags) => {
  // fish does not read a script from a socket, as which Node gives it its input.
  const pipe = ["-c", 'cat | "$@"', "sh", name, ...flags];
  const { status, stderr } = run("sh", pipe, scripts[name]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  for (const command of names) expect(scripts[name]).toContain(command);
  for (const option of ["format", "cni-path", "json"]) expect(scripts[name]).toMatch(new RegExp(`(?:--|-l )${option}`));
  expect(scripts[name]).toContain("text json github sarif");
  expect((scripts[name].match(/(?<!\\)'/g) ?? []).length % 2).toBe(0);
});

test("zsh has what bash has", () => {
  const [compdef, load, ...rest] = scripts.zsh.split("\n");
  expect([compdef, load]).toEqual(["#compdef cni-wrappers", "autoload -Uz bashcompinit && bashcompinit"]);
  expect(rest.join("\n")).toBe(scripts.bash);
});

test("an unknown shell is refused", async () => {
  expect(await runCommand(["completion", "csh"])).toMatchObject({ exitCode: 2, stdout: "" });
});

describe("the manual page", () => {
  test.each(names)("of %s has what its help has", async (name) => {
    const page = (await printed("man", name)).replaceAll("\\-", "-");
    const sections = [...page.matchAll(/^\.SH (.*)$/gm)].map(([, title]) => title);
    expect(sections).toEqual(
      expect.arrayContaining(["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLE"]),
    );
    const help = await printed(name, "--help");
    for (const [, flags = ""] of help.matchAll(/^ {2}(-.*?)(?: {2}|$)/gm)) expect(page).toContain(`.B ${flags}\n`);
    const example = /Examples?:\n {2}(.*)/.exec(help)?.[1] ?? "none";
    expect(page).toContain(example);
  });

  test.each(["", ...names])("of %j is roff without a warning", async (name) => {
    const page = await printed("man", ...(name === "" ? [] : [name]));
    expect(page).toMatch(/^\.TH CNI\\-WRAPPERS/);
    const { stderr, stdout } = run("groff", ["-man", "-ww", "-Tutf8", "-Kutf8"], page);
    expect(stderr).toBe("");
    expect(stdout).toContain("cni-wrappers");
  });

  test("of the program names all commands and their pages", async () => {
    const page = (await printed("man")).replaceAll("\\-", "-");
    for (const name of names) {
      expect(page).toContain(`.B ${name}\n`);
      expect(page).toContain(`.BR cni-wrappers-${name} (1)`);
    }
  });

  test("an unknown command is trouble", async () => {
    const { exitCode, stderr } = await runCommand(["man", "lnit"]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^cni-wrappers: there is no command lnit; the commands are lint, /);
  });
});

test("every command has an example in its help", async () => {
  expect(names).toEqual(expect.arrayContaining(["lint", "schema", "completion", "man"]));
  for (const name of names) expect(await printed(name, "--help")).toMatch(/\nExamples?:\n {2}(?:npx )?cni-wrappers /);
});

describe("of a program with one command", () => {
  const options = [
    option("-o, --output <file>", "write it"),
    option("--format <format>", "its format").choices(["x", "y"]),
    option("--json", "as JSON"),
  ];
  const lint = new ProgramCommand({
    ...{ name: "lint", summary: "say it's wrong", description: ".B is text, C:\\\\x", example: "first\n'second" },
    ...{ argument: new Argument("[form]", "the form").choices(["a", "b"]), options, run: () => 0 },
  });
  const program = new Command("cni-wrappers").description("Tools.").addCommand(lint);

  test("a text that begins with a dot or a quote is no request of roff, and each part has its section", () => {
    const lines = manPage(lint, "1.2.3").split("\n");
    expect(lines).toEqual([
      '.TH CNI\\-WRAPPERS\\-LINT 1 "" "cni\\-wrappers 1.2.3" "User Commands"',
      ...[".SH NAME", "cni\\-wrappers\\-lint \\- say it's wrong"],
      ...[".SH SYNOPSIS", ".B cni\\-wrappers lint [options] [form]"],
      ...[".SH DESCRIPTION", "\\&.B is text, C:\\e\\ex"],
      ...[".SH OPTIONS", ".TP", ".B \\-o, \\-\\-output <file>", "write it"],
      ...[".TP", ".B \\-\\-format <format>", 'its format (choices: "x", "y")', ".TP", ".B \\-\\-json", "as JSON"],
      ...[".TP", ".B \\-h, \\-\\-help", "display help for command"],
      ...[".SH ARGUMENTS", ".TP", ".I form", "the form"],
      ...[".SH EXIT STATUS", ".TP", ".B 0", "All that was asked about was looked at, and is good."],
      ...[".TP", ".B 1", "Something is wrong, or is left to do.", ".TP", ".B 2"],
      "Something could not be looked at, or not be done, even if something else is wrong.",
      ...[".SH EXAMPLE", ".nf", "cni\\-wrappers first", "\\&'second", ".fi"],
      ...[".SH SEE ALSO", ".BR cni\\-wrappers (1)", ""],
    ]);
    expect(manPage(program, "1.2.3")).toContain("\n.SH COMMANDS\n.TP\n.B lint\nsay it's wrong\n.SH EXIT STATUS\n.TP\n");
    expect(manPage(program, "1.2.3")).not.toContain("ARGUMENTS");
  });

  test("fish", () => {
    const within = "complete -c cni-wrappers -n '__fish_seen_subcommand_from lint'";
    expect(fishCompletion(program).split("\n").slice(1)).toEqual([
      "complete -c cni-wrappers -n __fish_use_subcommand -f -a lint -d 'say it\\'s wrong'",
      `${within} -f -a 'a b'`,
      `${within} -s o -l output -r -d 'write it'`,
      `${within} -l format -x -a 'x y' -d 'its format (choices: "x", "y")'`,
      `${within} -l json -d 'as JSON'`,
      `${within} -s h -l help -d 'display help for command'`,
      "",
    ]);
    const plain = new ProgramCommand({ name: "go", summary: "s", description: "", example: "", run: () => 0 });
    expect(fishCompletion(new Command("x").addCommand(plain))).not.toContain("from go' -f");
  });

  test("bash: the values of options", () => {
    const cases = bashCompletion(program)
      .split("\n")
      .filter((line) => line.includes("COMPREPLY") && line.includes("return"));
    expect(cases).toEqual([
      '      "lint -o" | "lint --output") COMPREPLY=(); return ;;',
      '      "lint --format") COMPREPLY=($(compgen -W "x y" -- "$current")); return ;;',
    ]);
  });
});
