import type { Mutant, Switch } from "./mutants.ts";

/** The instrumented source calls this function to ask whether a mutant is on. */
export const switchName = "__isOn";

type Group = readonly [Mutant, ...Mutant[]];

/** The source with all mutants, each behind its own switch. */
export function instrumented(source: string, mutants: readonly Mutant[]): string {
  const groups = Map.groupBy(mutants, ({ switch: { form, start, end } }) => [start, end, form].join());
  const sorted = [...groups.values()].map((group) => group as unknown as Group).sort(outermostFirst);
  return rendered(source, 0, source.length, sorted);
}

// For equal ranges: each form encloses those after it.
const forms: readonly Switch["form"][] = ["statement", "property", "expression"];

function outermostFirst([{ switch: one }]: Group, [{ switch: other }]: Group): number {
  return one.start - other.start || other.end - one.end || forms.indexOf(one.form) - forms.indexOf(other.form);
}

function rendered(source: string, start: number, end: number, groups: readonly Group[]): string {
  const [group, ...others] = groups;
  if (group === undefined) return source.slice(start, end);
  const range = group[0].switch;
  const inside = others.filter(([{ switch: other }]) => other.start < range.end);
  const original = rendered(source, range.start, range.end, inside);
  const rest = rendered(source, range.end, end, others.slice(inside.length));
  return source.slice(start, range.start) + switched(group, original) + rest;
}

function switched(group: Group, original: string): string {
  const ask = ({ id }: Mutant) => `${switchName}(${id})`;
  const [first] = group;
  switch (first.switch.form) {
    case "expression":
      return `(${group.map((mutant) => `${ask(mutant)} ? (${mutant.switch.text}) : `).join("")}(${original}))`;
    case "statement":
      return `{ if (!${ask(first)}) ${original} }`;
    case "property":
      return `...(${ask(first)} ? {} : { ${original} })`;
    default:
      return first.switch.form satisfies never;
  }
}
