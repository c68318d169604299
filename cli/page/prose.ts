/** A piece of a sentence, and how it is written. */
export interface Piece {
  readonly kind: "text" | "code" | "strong";
  readonly text: string;
}

/** A paragraph, or an entry of a list. */
export interface Paragraph {
  readonly isEntry: boolean;
  readonly pieces: readonly Piece[];
}

/** Reads what the pages of rules have of Markdown: paragraphs, entries with "- ", `code` and **strong** words. */
export function paragraphsOf(markdown: string): readonly Paragraph[] {
  const blocks = markdown.trim().split(/\n\s*\n|\n(?=- )/);
  return blocks.map((block) => {
    const isEntry = block.startsWith("- ");
    return { isEntry, pieces: piecesOf((isEntry ? block.slice(2) : block).replaceAll(/\s*\n\s*/g, " ")) };
  });
}

function piecesOf(line: string): readonly Piece[] {
  const parts = line.split(/(`[^`]+`|\*\*[^*]+\*\*)/).filter((part) => part !== "");
  return parts.map((part): Piece => {
    if (/^`.+`$/.test(part)) return { kind: "code", text: part.slice(1, -1) };
    if (/^\*\*.+\*\*$/.test(part)) return { kind: "strong", text: part.slice(2, -2) };
    return { kind: "text", text: part };
  });
}
