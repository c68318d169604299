/** Writes a list as the examples are written: a line for each key of the list, of a plugin and of its ipam. */
export function listText(list: { readonly plugins: readonly object[] }): string {
  const plugins = list.plugins.map((plugin) => `    ${pluginText(plugin)}`).join(",\n");
  const keys = Object.entries(list).map(([key, value]) => {
    return `  ${JSON.stringify(key)}: ${key === "plugins" ? `[\n${plugins}\n  ]` : inline(value)}`;
  });
  return `{\n${keys.join(",\n")}\n}\n`;
}

function pluginText(plugin: object): string {
  if (Object.keys(plugin).length === 1) return inline(plugin);
  const write = (key: string, value: unknown) =>
    key === "ipam" ? expanded(value as object, "      ", inlineOf) : inline(value);
  return expanded(plugin, "    ", write);
}

function expanded(object: object, indent: string, write: (key: string, value: unknown) => string): string {
  const lines = Object.entries(object).map(([key, value]) => `${indent}  ${JSON.stringify(key)}: ${write(key, value)}`);
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

function inlineOf(_: string, value: unknown): string {
  return inline(value);
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const properties = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${inline(one)}`);
  return properties.length === 0 ? "{}" : `{ ${properties.join(", ")} }`;
}
