import { appendFile, readFile, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Holder } from "../../build/holder.ts";
import type { CallOptions, Outcome } from "./lab.ts";
import { gocni } from "./runtime.ts";

/**
 * Runs commands by the shell at the end of `lab.sh`. In the second kernel, a fork of a process as large as this one takes
 * longer than most commands.
 */
export class LabShell {
  readonly #holder: Holder;
  readonly #folder: string;
  readonly #waiting = new Map<string, (exitCode: number) => void>();
  #calls = 0;

  /** `folder` is the path of the lab's `/run/lab/calls` for this process. */
  constructor(holder: Holder, folder: string) {
    this.#holder = holder;
    this.#folder = folder;
    createInterface(holder.stdout).on("line", (line) => {
      const [id = "", exitCode] = line.split(" ");
      this.#waiting.get(id)?.(Number(exitCode));
      this.#waiting.delete(id);
    });
  }

  /** Runs a command that may fail. Calls may overlap. */
  async call(command: string, args: readonly string[], { env = {}, input = "" }: CallOptions): Promise<Outcome> {
    const id = `${++this.#calls}`;
    const file = `${this.#folder}/${id}`;
    const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
    await writeFile(`${file}.stdin`, input);
    const ended = new Promise<number>((resolve) => this.#waiting.set(id, resolve));
    if (command === gocni) await appendFile(`${this.#folder}/gocni`, `${id} ${args}\n`);
    else {
      await writeFile(file, [...variables, command, ...args.map(quoted)].join(" "));
      this.#holder.stdin.write(`${id}\n`);
    }
    const exitCode = await ended;
    return { exitCode, stdout: await output(`${file}.stdout`), stderr: await output(`${file}.stderr`) };
  }
}

async function output(file: string): Promise<string> {
  return (await readFile(file, "utf8")).replace(/\n$/, "");
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
