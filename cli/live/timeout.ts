import { InvalidArgumentError, Option } from "commander";

/** The option that limits how long a plugin may take, in seconds. */
export function timeoutOption(): Option {
  return new Option("--timeout <seconds>", "how long a plugin may take").default("60").argParser(checked);
}

// A timer takes a value that is no number, or beyond its range, for a millisecond: every plugin would fail.
function checked(text: string): string {
  const seconds = Number(text);
  if (seconds >= 0.1 && seconds <= 86_400) return text;
  throw new InvalidArgumentError("Write seconds, from 0.1 to 86400.");
}
