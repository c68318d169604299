import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Something of others that an executable contains. */
export interface Component {
  readonly name: string;
  readonly version: string;
  /** A package URL, which tools compare with lists of vulnerabilities. */
  readonly purl: string;
  /** An SPDX expression. */
  readonly licence: string;
  /** The texts that its licence asks to pass on. */
  readonly texts: readonly string[];
  /** How it differs from what others published. */
  readonly changed?: string;
  /** What it contains itself. Its texts are in those above. */
  readonly parts?: readonly Pick<Component, "name" | "version" | "purl">[];
}

/** Returns the licence texts in a package's directory, sorted by their file names. */
export function textsIn(directory: string): string[] {
  const names = readdirSync(directory, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? entry.name : []));
  const texts = names.filter((name) => /^(licen[cs]e|copying|copyright|notice|unlicense)/i.test(name)).sort();
  return texts.map((name) => readFileSync(join(directory, name), "utf8"));
}

/** Sorts components by name and version, and returns each once. */
export function sorted(components: readonly Component[]): Component[] {
  const byKey = new Map(components.map((component) => [`${component.name}\0${component.version}`, component]));
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, component]) => component);
}

/** Names the components without a licence text: a release must not contain them. */
export function withoutText(components: readonly Component[]): string[] {
  return components
    .filter(({ texts }) => texts.join("").trim() === "")
    .map(({ name, version }) => `${name} ${version}`);
}
