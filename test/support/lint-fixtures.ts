import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { needs } from "./needs.ts";

/** The folders of fixtures, one for each rule of lint. */
export const lintFixtureDirectory = path.resolve(import.meta.dirname, "../fixtures/lint");

/** The steps in the life of a container. A `restart` is CHECK of the first container after the second one was attached. */
export const stages = ["load", "ADD", "CHECK", "second ADD", "restart", "DEL"] as const;

/** The first failure of a list with real plugins. */
export interface Failure {
  readonly at: (typeof stages)[number];
  /** A part of the error. */
  readonly with: string;
}

/** A file of a rule's folder, with its entry in `expected.json`. */
export interface LintFixture {
  /** Such as `duplicate-interface/ok.conflist`. */
  readonly name: string;
  readonly file: string;
  /** The findings, such as `5:15 error: the plugin has no type. Add "type"`. */
  readonly findings: readonly string[];
  /** The failure of a file in which lint finds an error. */
  readonly fails?: Failure;
  /** A feature that the kernel may lack. */
  readonly needs?: keyof typeof needs;
}

/** The fixtures that are one file. Others need more of a host than a list. */
export function lintFixtures(): readonly LintFixture[] {
  return readdirSync(lintFixtureDirectory).flatMap((code) => {
    const folder = path.join(lintFixtureDirectory, code);
    const expected: Record<string, Omit<LintFixture, "name" | "file">> = JSON.parse(
      readFileSync(path.join(folder, "expected.json"), "utf8"),
    );
    return Object.entries(expected)
      .filter(([name]) => /\.\w+$/.test(name))
      .map(([name, entry]) => ({ name: `${code}/${name}`, file: path.join(folder, name), ...entry }));
  });
}

/** Whether lint finds an error in a fixture. */
export function isFaulty({ findings }: Pick<LintFixture, "findings">): boolean {
  return findings.some((finding) => /^\S+ error: /.test(finding));
}

/** Whether a list needs wrapper.jq, which only the Node flavor has. */
export function needsJq({ file }: LintFixture): boolean {
  return /"jq": *"/.test(readFileSync(file, "utf8"));
}
