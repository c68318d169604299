import { join } from "node:path";
import { programOf, runCli } from "../../cli/program.ts";
import { optionsOf } from "../../cli/reference.ts";
import { exitCodes } from "../../cli/terminal.ts";
import { plainTerminal } from "../plain-terminal.ts";
import { root } from "../publish.ts";
import { readStamp } from "../stamp.ts";

/** The directory in which the page's commands run. */
const directory = join(root, "test/fixtures/commands");

const marked = /^(<!-- (command|options|meanings): (.+) -->\n)[\s\S]*?^(<!-- \/\2 -->)$/gm;

/** Puts what the commands really print into a page, between its marks. `command` runs one, `options` lists those of all commands, `meanings` the exit codes'. */
export async function renewedPage(page: string): Promise<string> {
  const texts: string[] = [];
  for (const [, , kind, subject = ""] of page.matchAll(marked)) {
    texts.push(kind === "command" ? await session(subject) : kind === "options" ? optionsTable() : codesTable());
  }
  return page.replace(marked, (_text, start: string, _kind, _subject, end: string) => `${start}${texts.shift()}${end}`);
}

/** A command and its output. It may end with `| head -<lines>`. */
async function session(line: string): Promise<string> {
  const [, command = "", count] = /^(.*?)(?: \| head -(\d+))?$/.exec(line) ?? [];
  const { terminal, printed } = pageTerminal();
  await runCli(command.split(" ").slice(1), terminal);
  const lines = printed()
    .trimEnd()
    .split("\n")
    .slice(0, count === undefined ? undefined : Number(count));
  return `\`\`\`console\n$ ${line}\n${lines.join("\n")}\n\`\`\`\n`;
}

function codesTable(): string {
  const rows = Object.entries(exitCodes).map(([code, meaning]) => `| ${code} | ${meaning} |\n`);
  return `| exit code | meaning |\n|---|---|\n${rows.join("")}`;
}

/** Every option once, with the commands that have it and mean the same by it. */
function optionsTable(): string {
  const rows = new Map<string, string[]>();
  for (const command of programOf(pageTerminal().terminal).commands) {
    for (const { long, flags, description } of optionsOf(command)) {
      const row = `| \`${flags}\` | ${description.replaceAll("|", "\\|")}`;
      if (long !== "--help") rows.set(row, [...(rows.get(row) ?? []), command.name()]);
    }
  }
  const lines = [...rows].map(([row, names]) => `${row} | ${names.join(", ")} |\n`).sort();
  return `| option | meaning | commands |\n|---|---|---|\n${lines.join("")}`;
}

/** A terminal that shows the same on every machine. */
function pageTerminal() {
  const { version } = readStamp(root);
  const parts = { node: "24.21.0", jq: "1.8.2", zod: "4.6.7" };
  return plainTerminal({ version, commit: "unknown", flavor: "node", target: "linux-amd64", parts }, directory);
}
