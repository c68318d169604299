import { Trouble } from "../trouble.ts";
import { type Field, type FieldName, fields, type Values } from "./fields.ts";
import type { HostNetworks } from "./host-networks.ts";
import type { Preset } from "./presets.ts";

/** Asks a person for a value. */
export type Ask = (
  field: Field,
  suggestion: string | undefined,
  values: Values,
  isOptional: boolean,
) => Promise<string>;

/**
 * Returns all values of a preset. An option's value counts. Then the person is asked, if there is one. Otherwise the suggestion
 * counts. Throws Trouble if a value is missing or wrong.
 */
export async function completeValues(preset: Preset, options: Values, host: HostNetworks, ask?: Ask): Promise<Values> {
  let values: Values = {};
  for (const name of preset.fields) {
    const value = options[name] ?? (await missingValue(name, preset, values, host, ask));
    if (value === undefined) continue;
    const problem = fields[name].problem(value, values);
    if (problem !== undefined) throw new Trouble(`${optionOf(name)}: ${value} ${problem}`);
    values = { ...values, [name]: value };
  }
  return values;
}

async function missingValue(
  name: FieldName,
  preset: Preset,
  values: Values,
  host: HostNetworks,
  ask: Ask | undefined,
): Promise<string | undefined> {
  const field = fields[name];
  const isOptional = preset.optional?.includes(name) ?? false;
  const suggestion = name === "name" ? preset.listName : isOptional ? undefined : field.suggest(values, host);
  const value = ask ? await ask(field, suggestion, values, isOptional) : suggestion;
  if (value || isOptional) return value || undefined;
  throw new Trouble(`${optionOf(name)} is missing: this host does not tell the ${field.message}`);
}

/** Returns the option of a value, as it is written on the command line. */
export function optionOf(name: FieldName): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
