import { createInterface } from "node:readline";
import type { Holder } from "../build/holder.ts";

/** The end of a command. */
export interface Outcome {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it was ended before its own end. */
  readonly stopped?: string | undefined;
}

/** The environment and stdin of a command. It has no variables besides `env` and PATH. */
export interface CallOptions {
  readonly env?: Record<string, string>;
  readonly input?: string;
  /** With it, a command that takes longer or prints very much is stopped. */
  readonly seconds?: number | undefined;
}

/** The variables of a private host's commands, besides those of a call. */
export const variables = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };

/** Runs commands by a server in the namespaces: entering them anew takes longer than most commands. */
export class HostCalls {
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

  /** Runs a command to its end, which may be that of the server. Calls may overlap. */
  call(argv: readonly string[], { env = {}, input = "", seconds }: CallOptions = {}, log = ""): Promise<Outcome> {
    const id = ++this.#calls;
    const pairs = Object.entries({ ...variables, ...env }).map((pair) => pair.join("="));
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#waiting.set(id, resolve);
    this.#holder.stdin.write(`${JSON.stringify({ id, argv, env: pairs, input, log, seconds })}\n`);
    return promise;
  }

  #end({ id, ...outcome }: Outcome & { readonly id: number }): void {
    const { stdout, stderr } = outcome;
    this.#waiting.get(id)?.({ ...outcome, stdout: withoutEnd(stdout), stderr: withoutEnd(stderr) });
    this.#waiting.delete(id);
  }
}

function withoutEnd(output: string): string {
  return output.replace(/\r?\n$/, "");
}
