/** Commands of the README. */
export interface Block {
  /** The heading above. */
  readonly section: string;
  readonly commands: string;
  /** What the page says that they print. */
  readonly shown: string;
}

/** Returns the blocks of commands of a page in its order. The comments below a command are what it prints. */
export function blocksOf(page: string): readonly Block[] {
  return page.split(/^## /m).flatMap((text) => {
    const [section = ""] = text.split("\n");
    const blocks = text.matchAll(/^( *)```sh\n(.*?)^\1```$/gms);
    return [...blocks].map(([, indentation = "", code = ""]) => blockOf(section, code, indentation));
  });
}

function blockOf(section: string, code: string, indentation: string): Block {
  const lines = code
    .trimEnd()
    .split("\n")
    .map((line) => line.slice(indentation.length));
  const isPrinted = (line: string) => line.startsWith("# ");
  const shown = lines.filter(isPrinted).map((line) => line.slice("# ".length));
  if (shown.length === 0) throw new Error(`a block does not say what its commands print:\n${code}`);
  return { section, commands: lines.filter((line) => !isPrinted(line)).join("\n"), shown: shown.join("\n") };
}

/**
 * Whether commands print what the page shows. `...` stands for anything in a line, and as a line for any lines; `(nothing)` for no
 * output. Spaces, ids and the indexes of interfaces differ from host to host.
 */
export function isShown(shown: string, output: string): boolean {
  if (shown === "(nothing)") return output.trim() === "";
  const pattern = alike(shown)
    .split("\n")
    .map((line) => (line === "..." ? "(?:.*\n)*?" : `${line.split("...").map(RegExp.escape).join(".*")}\n`))
    .join("");
  return new RegExp(`^${pattern}$`).test(`${alike(output)}\n`);
}

function alike(text: string): string {
  const lines = text.trim().split("\n");
  return lines
    .map((line) =>
      line
        .replaceAll(/[ \t]+/g, " ")
        .replaceAll(/\b[0-9a-f]{8}\b/g, "<id>")
        .trim(),
    )
    .join("\n");
}
