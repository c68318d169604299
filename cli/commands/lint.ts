import { existsSync } from "node:fs";
import { Argument } from "commander";
import { type CommandData, option } from "../command.ts";
import { readLinks } from "../host/links.ts";
import { readState, stateDirectory } from "../host/memory.ts";
import { readPluginFolder } from "../host/read-plugin-folder.ts";
import { explainRule, ruleNamed } from "../lint/explain-rule.ts";
import { fixInPlace } from "../lint/fix.ts";
import { lintFiles } from "../lint/lint.ts";
import { type Format, reports, summaryOf } from "../lint/report.ts";
import type { Context } from "../lint/rule.ts";
import { readSwitchedOff, switchedOffLines } from "../lint/switched-off.ts";
import { readListFiles } from "../lists/find-files.ts";
import { progressOf } from "../live/at-once.ts";
import { addedBeside } from "../live/networks.ts";
import { type ExitCode, exitCodeOf, oneLine, type Terminal, Trouble } from "../terminal.ts";

interface Options {
  readonly format: Format;
  readonly json?: true;
  readonly fix?: true;
  readonly cniPath?: string;
  readonly state?: string;
  readonly host?: true;
  readonly explain?: string;
}

/** `lint`: finds mistakes in network configuration lists. */
export const lintCommand: CommandData<string[], Options> = {
  name: "lint",
  summary: "find mistakes in network configuration lists",
  description: "Finds mistakes in network configuration lists. The exit code is 1 if there are any.",
  argument: new Argument(
    "[path...]",
    "a file, a directory with files that end with .conf, .conflist or .json, or - for stdin",
  ),
  options: [
    option("--format <format>", "the format of the findings", "text").choices(Object.keys(reports)),
    option("--json", "the same as --format json"),
    option("--fix", "fix the mistakes that have one safe fix, and report the others"),
    option(
      "--cni-path <directories>",
      "also look at the plugins there, such as /opt/cni/first:/opt/cni/bin; runs them",
    ),
    option("--state <directory>", "also look at the containers that are attached, such as in /var/lib/cni"),
    option("--host", "also look at this host's interfaces and its runtime"),
    option("--explain <rule>", "print why a rule matters and what to do, and look at nothing"),
  ],
  example: "lint --cni-path /opt/cni/bin /opt/cni/config",
  run: ({ given, options, terminal }) => {
    if (options.explain === undefined) return lint(given, options, terminal);
    terminal.write(explainRule(ruleNamed(options.explain)));
    return 0;
  },
};

async function lint(paths: readonly string[], options: Options, terminal: Terminal): Promise<ExitCode> {
  if (paths.length === 0) throw new Trouble("name a file, a directory or -");
  const unread: string[] = [];
  const read = readListFiles(paths, terminal, ({ message }) => unread.push(message));
  if (read.length === 0)
    throw new Trouble(unread[0] ?? `${paths.join(", ")}: no file there ends with .conflist, .conf or .json`);
  const host = await hostOf(options, terminal);
  if (options.fix && paths.includes("-")) throw new Trouble("--fix cannot change stdin; name a file");
  const reasonOf = readSwitchedOff(read, terminal.directory);
  // guard: no file is written without --fix
  const files = options.fix ? fixInPlace(read, terminal, { ...host, reasonOf }) : read;
  const progress = progressOf(files.length, terminal);
  const all = lintFiles(files, host, progress.report);
  progress.end();
  const findings = all.filter((finding) => reasonOf(finding) === undefined);
  const off = switchedOffLines(all, reasonOf);
  const format = options.json ? "json" : options.format;
  terminal.write(reports[format](findings, terminal));
  for (const line of off) terminal.writeError(`${line}\n`);
  if (format === "text") terminal.writeError(`${summaryOf(files, findings, off.length > 0)}\n`);
  const leftOut = [...unread, ...addedBeside(files, terminal.directory), ...(host.state?.unreadable ?? [])];
  for (const line of leftOut) terminal.writeError(`${oneLine(line)}\n`);
  return exitCodeOf({ isGood: findings.length === 0, isComplete: leftOut.length === 0 });
}

async function hostOf({ cniPath, state, host }: Options, { directory }: Terminal): Promise<Omit<Context, "lists">> {
  // A host that never had a container lacks the usual directory. Any other directory must exist.
  const isUnused = state === undefined || (state === stateDirectory && !existsSync(state));
  const around = {
    plugins: cniPath === undefined ? undefined : readPluginFolder(cniPath, directory),
    state: isUnused ? undefined : readState(state, directory),
    links: host && (await readLinks()),
    hasCrio: host && existsSync("/etc/crio"),
  };
  if (host && !around.links) throw new Trouble("--host needs ip(8), which failed or is missing: install iproute2");
  return around;
}
