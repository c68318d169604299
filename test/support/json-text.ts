const width = 120;

/** A value as JSON for people: what fits into a line is in one line. */
export function jsonText(value: unknown, indent = "", before = 0): string {
  const short = inOneLine(value);
  if (typeof value !== "object" || value === null || indent.length + before + short.length < width) return short;
  const inner = `${indent}  `;
  const parts = partsOf(value).map(([key, part]) => `${inner}${key}${jsonText(part, inner, key.length)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

function inOneLine(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const parts = partsOf(value).map(([key, part]) => `${key}${inOneLine(part)}`);
  if (Array.isArray(value)) return `[${parts.join(", ")}]`;
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

/** The values in a list or an object, each with its name in quotation marks and a colon; none in a list. */
function partsOf(value: object): (readonly [key: string, part: unknown])[] {
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return entries.map(([name, part]) => [Array.isArray(value) ? "" : `${JSON.stringify(name)}: `, part]);
}
