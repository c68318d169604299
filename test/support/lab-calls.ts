import { createInterface } from "node:readline";
import type { Holder } from "../../build/holder.ts";
import type { CallOptions, Outcome } from "./lab.ts";

/** The variables of a lab's commands, besides those of a call. */
export const variables = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };

/** Runs commands by `gocni lab`, which stays in the lab: a fork of this process takes longer than most commands. */
export class LabCalls {
  readonly #holder: Holder;
  readonly #waiting = new Map<number, (outcome: Outcome) => void>();
  #calls = 0;

  constructor(holder: Holder) {
    this.#holder = holder;
    createInterface(holder.stdout)
      .on("line", (line) => this.#end(JSON.parse(line)))
      .on("close", () => {
        for (const id of this.#waiting.keys()) this.#end({ id, exitCode: undefined, stdout: "", stderr: "" });
      });
  }

  /** Runs a command to its end, which may be that of the lab. Calls may overlap. */
  call(argv: readonly string[], { env = {}, input = "" }: CallOptions = {}, log = ""): Promise<Outcome> {
    const id = ++this.#calls;
    const pairs = Object.entries({ ...variables, ...env }).map((pair) => pair.join("="));
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#waiting.set(id, resolve);
    this.#holder.stdin.write(`${JSON.stringify({ id, argv, env: pairs, input, log })}\n`);
    return promise;
  }

  #end({ id, exitCode, stdout, stderr }: Outcome & { readonly id: number }): void {
    this.#waiting.get(id)?.({ exitCode, stdout: withoutEnd(stdout), stderr: withoutEnd(stderr) });
    this.#waiting.delete(id);
  }
}

function withoutEnd(output: string): string {
  return output.replace(/\r?\n$/, "");
}
