import { existsSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { Argument } from "commander";
import { type CommandData, option } from "../command.ts";
import { demandNoDirectory, writeAtomically } from "../files/atomic-write.ts";
import { lintFiles } from "../lint/lint.ts";
import { type ListFile, parseListFile } from "../lists/list-file.ts";
import { faultsIn, type Lists, networkIn, readLists } from "../live/networks.ts";
import { newList, presets } from "../new/new-list.ts";
import { fields, optionOf, readHostNetworks, type ValueName, type Values } from "../new/values.ts";
import { type ExitCode, type Terminal, Trouble } from "../terminal.ts";

interface Options extends Values {
  readonly output?: string;
  readonly force?: true;
}

const titles = Object.entries(presets).map(([name, { title }]) => `${name}: ${title}`);

/** `new`: writes a complete list to start from. */
export const newCommand: CommandData<string, Options> = {
  name: "new",
  summary: "write a new list",
  description: "Writes a complete list to stdout. Values that no option gives fit this host.",
  argument: new Argument("<preset>", titles.join("; ")).choices(Object.keys(presets)),
  options: [
    ...(Object.keys(fields) as ValueName[]).map((name) => option(`${optionOf(name)} <value>`, fields[name].message)),
    option("-o, --output <file>", "write the list to a file"),
    option("-f, --force", "write the list although its file exists, or another list is in conflict with it"),
  ],
  example: "new macvlan+bridge --master ens18 --output zone.conflist",
  run: async ({ given, options, terminal }): Promise<ExitCode> => {
    const { text, note } = newList(given, options, await readHostNetworks());
    put(text, options, terminal);
    if (note !== undefined) terminal.writeError(`${note}\n`);
    return 0;
  },
};

function put(text: string, { output, force }: Options, terminal: Terminal): void {
  if (output === undefined) {
    terminal.write(text);
    return;
  }
  const path = resolve(terminal.directory, output);
  demandNoDirectory(output, path);
  const demandFree = () => {
    // guard: a file that is there
    if (existsSync(path) && !force) throw new Trouble(`${output} exists; --force replaces it`);
  };
  demandFree();
  const file = parseListFile(path, text);
  const [fault] = faultsIn([file]);
  // Its name can make a runtime refuse it, or others.
  if (fault) throw new Trouble(fault.line);
  const beside = force ? undefined : listsBeside(file);
  const other = beside?.networks.get(networkIn(file)?.name ?? "")?.list.file.path;
  // guard: the network of another list, which runtimes would perhaps no longer read
  if (other !== undefined)
    throw new Trouble(
      `${output}: ${other} defines a network of this name, and runtimes read only one of them; choose another with --name, or another directory, or write it with --force`,
    );
  const clash = beside && lintFiles([...beside.files, file]).find((finding) => finding.file === file);
  // guard: the addresses and the bridge of another list
  if (clash) throw new Trouble(`${output}: ${clash.message}. ${clash.hint}, or write it with --force`);
  // Where all users may write, another one's new file would give the list its owner.
  writeAtomically(path, text, { lastLook: demandFree });
  terminal.writeError(`Wrote ${output}.\n`);
}

/** The other lists of the directory; undefined if no runtime reads the new file. */
function listsBeside({ path }: ListFile): Lists | undefined {
  const directory = dirname(path);
  return extname(path) === ".conflist" && existsSync(directory) ? readLists([directory], directory) : undefined;
}
