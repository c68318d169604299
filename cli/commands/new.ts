import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Argument, Command, Option } from "commander";
import type { CommandMaker } from "../command.ts";
import { canAsk } from "../confirm.ts";
import { writeAtomically } from "../files/atomic-write.ts";
import { asker, askPreset } from "../new/ask.ts";
import { optionOf } from "../new/complete.ts";
import { type FieldName, fields } from "../new/fields.ts";
import { readHostNetworks } from "../new/host-networks.ts";
import { type ListOptions, newList } from "../new/new-list.ts";
import { presets } from "../new/presets.ts";
import type { Terminal } from "../terminal.ts";
import { Trouble } from "../trouble.ts";

interface Options extends ListOptions {
  readonly output?: string;
  readonly force?: true;
  readonly yes?: true;
}

/** `new`: writes a complete list to start from. */
export const newCommand: CommandMaker = (terminal, finish) => {
  const command = new Command("new")
    .summary("write a new list")
    .description(
      "Writes a complete list to stdout. On a terminal it asks for the values that no option gives, and suggests some that fit this host.",
    )
    .addArgument(new Argument("[preset]", presetText()).choices(Object.keys(presets)))
    .addHelpText(
      "after",
      "\nExample:\n  cni-wrappers new macvlan+bridge --master ens18 --add tap --output zone.conflist",
    );
  for (const name of Object.keys(fields) as FieldName[])
    command.option(`${optionOf(name)} <value>`, fields[name].message);
  return command
    .option("--hairpin", "let a container reach itself through its published port (nomad-bridge)")
    .option("--consul", "add consul-cni for transparent proxy (nomad-bridge)")
    .addOption(
      new Option(
        "--add <type[:name][:key=value,...]>",
        "add an interface, such as ipvlan:eth2:master=ens19; may be repeated",
      )
        .argParser((value: string, before: readonly string[]) => [...before, value])
        .default([], "none"),
    )
    .option("-o, --output <file>", "write the list to a file")
    .option("-f, --force", "replace the file if it exists")
    .option("-y, --yes", "ask nothing, and take what fits this host")
    .action(async (named: string | undefined, options: Options) => {
      const isAsking = canAsk(terminal, options);
      if (named === undefined && !isAsking) throw new Trouble(`name a preset: ${Object.keys(presets).join(", ")}`);
      const preset = named ?? (await askPreset());
      const ask = isAsking ? asker() : undefined;
      const { text, note } = await newList({ preset, options, host: readHostNetworks(), ask });
      put(text, options, terminal);
      if (note !== undefined) terminal.writeError(`${note}\n`);
      finish(0);
    });
};

function put(text: string, { output, force }: Options, terminal: Terminal): void {
  if (output === undefined) {
    terminal.write(text);
    return;
  }
  const path = resolve(terminal.directory, output);
  if (existsSync(path) && !force) throw new Trouble(`${output} exists; --force replaces it`);
  writeAtomically(path, text);
  terminal.writeError(`Wrote ${output}.\n`);
}

function presetText(): string {
  return Object.entries(presets)
    .map(([name, { title }]) => `${name}: ${title}`)
    .join("; ");
}
