/** A Markdown table that people can also read as text: columns are as wide as their widest cell. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((title, index) => Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const rule = widths.map((width) => "-".repeat(width));
  return [columns, rule, ...rows].map((row) => line(row, widths)).join("\n");
}

function line(cells: readonly string[], widths: readonly number[]): string {
  return `| ${widths.map((width, index) => (cells[index] ?? "").padEnd(width)).join(" | ")} |`;
}
