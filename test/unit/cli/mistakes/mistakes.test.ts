import { expect, test } from "vitest";
import { fileMistakes } from "./files.ts";
import { listMistakes, untoldMistakes } from "./lists.ts";
import { type Mistake, MistakenHost } from "./mistake.ts";
import { pluginMistakes } from "./plugins.ts";
import { runningMistakes } from "./running.ts";

const mistakes = [...fileMistakes, ...listMistakes, ...pluginMistakes, ...runningMistakes];
const rows = mistakes.flatMap((mistake) =>
  Object.entries(mistake.told).map(([line, code]) => [mistake.name, line, mistake, code] as const),
);
const untoldRows = untoldMistakes.flatMap((mistake) =>
  mistake.tried.map((line) => [mistake.name, line, mistake] as const),
);

/** Returns what a command line prints on a host of its own, whose directory is `{host}` in the text. */
async function outcomeOf(
  { before, make }: Pick<Mistake, "before" | "make">,
  line: string,
): Promise<{ exitCode: number; text: string }> {
  using host = new MistakenHost();
  before?.(host);
  make?.(host);
  const { exitCode, stdout, stderr } = await host.run(line);
  return { exitCode, text: `${stdout}${stderr}`.replaceAll(host.directory, "{host}") };
}

const withoutMistake = (mistake: Pick<Mistake, "before" | "make">) => ({ ...mistake, make: () => {} });

test.each(rows)("%s: %s tells it", async (_, line, mistake, code) => {
  const { exitCode, text } = await outcomeOf(mistake, line);
  const unsaid = mistake.says.filter((words) => !text.includes(words));
  expect({ exitCode, unsaid }, text).toEqual({ exitCode: code, unsaid: [] });
});

// A command that always says the words would tell nothing.
test.each(rows)("not made: %s: %s is content", async (_, line, mistake) => {
  const { exitCode, text } = await outcomeOf(withoutMistake(mistake), mistake.right ?? line);
  const isSaid = mistake.says.every((words) => text.includes(words));
  expect({ exitCode, isSaid }, text).toEqual({ exitCode: 0, isSaid: false });
});

test.each(untoldRows)("not told: %s: %s", async (_, line, mistake) => {
  const outcome = await outcomeOf(mistake, line);
  expect(outcome).toEqual(await outcomeOf(withoutMistake(mistake), line));
  expect(outcome.exitCode).toBe(0);
});
