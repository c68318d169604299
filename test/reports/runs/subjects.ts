import { readFileSync } from "node:fs";
import path from "node:path";
import type { Selection } from "../../kernel/cases.ts";
import type { CaseList } from "../../support/case-list.ts";
import { others } from "./others.ts";
import { runtimes } from "./runtimes.ts";
import type { Subject } from "./subject.ts";

/** Every program, in the order of the pages. */
export const subjects: readonly Subject[] = [...runtimes, ...others];

/** The cases of a program. Those that need a feature of the kernel run in a second one. */
export function casesOf({ folder, file, suite = "" }: Subject, where: "here" | "second kernel"): Selection {
  const list: CaseList = JSON.parse(
    readFileSync(path.join(import.meta.dirname, "../..", folder, "cases.json"), "utf8"),
  );
  const files = Object.entries(list).filter(([name]) => file === undefined || name === file);
  const selected = files.map(([name, entries]): [string, string[]] => [
    name,
    entries.flatMap((entry) => {
      const { name: title, needs } = typeof entry === "string" ? { name: entry, needs: "" } : entry;
      const isElsewhere = needs.endsWith(" in the kernel");
      return title.startsWith(suite) && isElsewhere === (where === "second kernel") ? [title] : [];
    }),
  ]);
  return Object.fromEntries(selected.filter(([, names]) => names.length > 0));
}
