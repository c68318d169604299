import { parseArgs } from "node:util";

type Default = boolean | number | string | readonly string[] | undefined;
type Given<D> = D extends boolean ? boolean : D extends number ? number : D extends string ? string : D;

/** An option without a default: `given({ only: text })`. */
export const text = undefined as string | undefined;

/** Reads a program's options: a flag, a number, a text, or a list of what is given several times, as the default of each says. */
export function given<T extends Readonly<Record<string, Default>>>(defaults: T): { [K in keyof T]: Given<T[K]> } {
  const options = Object.entries(defaults).map(([name, value]) => {
    const type = typeof value === "boolean" ? ("boolean" as const) : ("string" as const);
    return [name, { type, multiple: Array.isArray(value) }] as const;
  });
  const { values } = parseArgs({ options: Object.fromEntries(options) });
  const read = ([name, value]: [string, Default]) => {
    const own = values[name] ?? value;
    return [name, typeof value === "number" ? Number(own) : own];
  };
  return Object.fromEntries(Object.entries(defaults).map(read));
}
