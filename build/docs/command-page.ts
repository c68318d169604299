import { join } from "node:path";
import { exitCodes } from "../../cli/exit-codes.ts";
import { programOf, runCli } from "../../cli/program.ts";
import { optionsOf } from "../../cli/reference/options.ts";
import type { Terminal } from "../../cli/terminal.ts";
import { root } from "../publish.ts";
import { readStamp } from "../stamp.ts";

/** The directory in which the page's commands run. */
const directory = join(root, "test/fixtures/commands");

const marked = /^(<!-- (command|options|meanings): (.+) -->\n)[\s\S]*?^(<!-- \/\2 -->)$/gm;

/** Puts what the commands really print into a page, between its marks. `command` runs one, `options` lists a command's, `meanings` the exit codes'. */
export async function renewedPage(page: string): Promise<string> {
  const texts: string[] = [];
  for (const [, , kind, subject = ""] of page.matchAll(marked)) {
    texts.push(kind === "command" ? await session(subject) : kind === "options" ? optionsTable(subject) : codesTable());
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

function optionsTable(name: string): string {
  const command = programOf(pageTerminal().terminal).commands.find((candidate) => candidate.name() === name);
  const rows = (command ? optionsOf(command) : [])
    .filter(({ long }) => long !== "--help")
    .map(({ flags, description }) => {
      return `| \`${flags}\` | ${description.replaceAll("|", "\\|")} |\n`;
    });
  return rows.length === 0 ? "No options.\n" : `| option | meaning |\n|---|---|\n${rows.join("")}`;
}

/** A plain terminal for one command: no colors, nobody who answers, and the same text on every machine. */
function pageTerminal(): { terminal: Terminal; printed: () => string } {
  let text = "";
  const write = (part: string) => {
    text += part;
  };
  const terminal: Terminal = {
    release: {
      ...{ version: readStamp(root).version, commit: "unknown", flavor: "node", target: "linux-amd64" },
      parts: { node: "24.21.0", jq: "1.8.2", zod: "4.6.7" },
    },
    env: {},
    directory,
    isInteractive: false,
    hasColors: false,
    width: 100,
    write,
    writeError: write,
    readInput: () => "",
    viewProblem: () => undefined,
  };
  return { terminal, printed: () => text };
}
