/** The first line of an error, short enough for a note. */
export function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split("\n")[0] ?? "";
}
