import { oneLine, type Terminal } from "../terminal.ts";
import { tellAlike } from "./alike.ts";

/** What a command could not look at. A verdict with such a thing is never good. */
export class LeftOut {
  readonly #lines = new Set<string>();
  #told = 0;

  /** Takes a line: the thing, a colon, and why. */
  readonly note = (line: string): void => {
    this.#lines.add(oneLine(line));
  };

  get lines(): readonly string[] {
    return [...this.#lines];
  }

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  /** Tells what it has not told yet. */
  tell(terminal: Pick<Terminal, "writeError">): void {
    tellAlike(this.lines.slice(this.#told), terminal);
    this.#told = this.#lines.size;
  }
}
