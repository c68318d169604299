/** Prints the progress of a command to stderr. */
export function say(progress: string): void {
  process.stderr.write(`${progress}\n`);
}
