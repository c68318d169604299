/** Ends a command. */
export type ExitCode = 0 | 1 | 2;

/** What each exit code means, for help, manual pages and docs/commands.md. */
export const exitCodes: Readonly<Record<ExitCode, string>> = {
  0: "All that was asked about was looked at, and is good.",
  1: "Something is wrong, or is left to do.",
  2: "Something could not be looked at, or not be done, even if something else is wrong.",
};

/** The exit codes below the help of a command. */
export const exitCodeHelp = [
  "\nExit codes:",
  ...Object.entries(exitCodes).map(([code, meaning]) => `  ${code}  ${meaning}`),
].join("\n");

/** The exit code of a verdict: nothing is good that was not looked at. */
export function exitCodeOf({ isGood, isComplete }: { isGood: boolean; isComplete: boolean }): ExitCode {
  // guard: nothing is called good that was not looked at
  if (!isComplete) return 2;
  return isGood ? 0 : 1;
}
