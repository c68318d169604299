import { expect, test } from "vitest";
import { programOf } from "../../../cli/program.ts";
import type { Terminal } from "../../../cli/terminal.ts";

test("the help of each command says what it, its argument and each of its options do, with an example", () => {
  const { commands } = programOf({ release: { version: "1", commit: "a" }, width: 80 } as Terminal);
  expect(commands.length).toBeGreaterThan(10);
  for (const command of commands) {
    const shown = [...command.options.filter(({ hidden }) => !hidden), ...command.registeredArguments];
    const texts = [command.summary(), command.description(), ...shown.map(({ description }) => description)];
    for (const text of texts) expect(text, `${command.name()}: ${JSON.stringify(texts)}`).toMatch(/^\S+ \S.*\S$/);
    expect(command).toMatchObject({ example: expect.stringMatching(`^cni-wrappers ${command.name()}( \\S+)*$`) });
  }
});
