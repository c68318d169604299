import type { Component } from "./component.ts";

const line = "=".repeat(80);

/** Returns the NOTICE of an archive: a list of all components, and then each licence text once. */
export function noticeText(title: string, components: readonly Component[]): string {
  const list = components.map((each) => `  ${nameOf(each)}: ${each.licence}${each.changed ? `; ${each.changed}` : ""}`);
  const users = new Map<string, { text: string; names: string[] }>();
  for (const component of components) {
    for (const text of new Set(component.texts)) {
      // Only white space differs between many copies of one licence.
      const key = text.replaceAll(/\s+/g, " ").trim();
      const entry = users.get(key) ?? { text: text.trim(), names: [] };
      users.set(key, { ...entry, names: [...new Set([...entry.names, nameOf(component)])] });
    }
  }
  const texts = [...users.values()].map(({ text, names }) => `${line}\n${names.join(", ")}\n${line}\n\n${text}\n`);
  const head = [
    title,
    "Its own licence is in the file LICENSE. It contains the software below, each with its own licence:",
    "",
    ...list,
    "",
    "",
  ];
  return head.join("\n") + texts.join("\n");
}

function nameOf({ name, version }: Component): string {
  return `${name} ${version}`;
}
