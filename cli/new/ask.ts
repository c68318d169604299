import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { Trouble } from "../trouble.ts";
import type { Ask } from "./complete.ts";
import { presets } from "./presets.ts";

/** Where the questions are shown, and where the answers come from. stdout is for the list. */
interface Dialog {
  readonly input: Readable;
  readonly output: Writable;
}

const standard: Dialog = { input: process.stdin, output: process.stderr };

/** Returns a function that asks for one value after another. */
export function asker(dialog: Dialog = standard): Ask {
  return async (field, suggestion, values, isOptional) => {
    const { text } = await import("@clack/prompts");
    return answered(
      await text({
        ...dialog,
        message: `${field.message}${isOptional ? " (may be empty)" : ""}`,
        initialValue: suggestion ?? "",
        validate: (value = "") => {
          if (value === "") return isOptional ? undefined : "A value is needed";
          const problem = field.problem(value, values);
          return problem === undefined ? undefined : `It ${problem}`;
        },
      }),
    );
  };
}

/** Asks for the preset. */
export async function askPreset(dialog: Dialog = standard): Promise<string> {
  const { select } = await import("@clack/prompts");
  const options = Object.entries(presets).map(([value, { title }]) => ({ value, label: value, hint: title }));
  return answered(await select({ ...dialog, message: "What should the list be?", options }));
}

function answered(answer: string | symbol): string {
  if (typeof answer === "string") return answer;
  throw new Trouble("cancelled; nothing was written");
}
