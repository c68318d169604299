import { table } from "../../../build/docs/table.ts";
import { others } from "./others.ts";
import { runtimes } from "./runtimes.ts";

/** The last run of a program's cases. All of them passed. */
export interface Run {
  readonly version: string;
  /** Such as `2026-11-25`. */
  readonly date: string;
  readonly cases: number;
  /** The flavors of the wrappers with which each case ran. */
  readonly flavors: readonly string[];
}

/** By the program's name. */
export type Runs = Readonly<Record<string, Run>>;

/** The table of the runtimes. One that has not run is not in it. */
export function runtimeTable(runs: Runs): string {
  const rows = runtimes.flatMap(({ name }) => {
    const run = runs[name];
    return run ? [[name, run.version, run.date, `${run.cases}`, run.flavors.join(", ")]] : [];
  });
  return table(["runtime", "version", "last run", "cases", "flavors"], rows);
}

/** The table of the other projects' plugins. One that has not run is not in it. */
export function otherTable(runs: Runs): string {
  const rows = others.flatMap(({ name, url, works, fails }) => {
    const run = runs[name];
    const words = run && `${run.date}, ${run.cases} cases, ${run.flavors.join(" and ")}`;
    return run ? [`| [${name}](${url}), ${run.version} | ${words} | ${works} | ${fails} |`] : [];
  });
  return ["| plugin | last run | works | does not work |", "|---|---|---|---|", ...rows].join("\n");
}

/** The README's runtimes, with the programs whose versions count. */
const inReadme = {
  podman: ["podman"],
  containerd: ["containerd 1 (CRI)", "containerd 2 (CRI)"],
  "CRI-O": ["CRI-O"],
  "a kubelet": ["kubelet"],
};

/** The line of the README that says with which runtimes the wrappers were tried. */
export function readmeLine(runs: Runs): string {
  const tried = Object.entries(inReadme).map(([title, names]) => {
    return `${title} ${names.flatMap((name) => runs[name]?.version ?? []).join(" and ")}`;
  });
  const last = Object.values(runs)
    .map(({ date }) => date)
    .sort()
    .at(-1);
  return `Tried with Nomad 1.9.5 to 2.0.5, ${tried.join(", ")}, last on ${last} ([runtimes](docs/runtimes.md)),`;
}
