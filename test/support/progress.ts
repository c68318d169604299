/** Tells how far a command is, where its output does not go. */
export function say(progress: string): void {
  process.stderr.write(`${progress}\n`);
}
