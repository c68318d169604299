import type { Build, Terminal } from "../cli/terminal.ts";

/** A terminal that shows no colors, where nobody answers. `printed` is everything that the commands have written to it. */
export function plainTerminal(release: Build, directory: string): { terminal: Terminal; printed: () => string } {
  let text = "";
  const write = (part: string) => {
    text += part;
  };
  const silent = { env: {}, hasColors: false, width: 100, readInput: () => "", viewProblem: () => undefined };
  const wait = async () => {};
  return { terminal: { release, directory, ...silent, wait, write, writeError: write }, printed: () => text };
}
