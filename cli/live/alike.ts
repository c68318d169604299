import { counted, oneLine, type Terminal } from "../terminal.ts";

/** How many things of one cause are shown one by one. More are counted, or named in one line. */
export const mostShown = 5;

/** Groups things by the parts of a key, without what differs from container to container. */
export function alike<T>(
  things: readonly T[],
  keyOf: (thing: T) => readonly unknown[],
): readonly (readonly [T, ...T[]])[] {
  return [...Map.groupBy(things, (thing) => withoutNames(JSON.stringify(keyOf(thing)))).values()] as [T, ...T[]][];
}

/** Names the attachments of a group after its first one; nothing if there are none. */
export function othersLine(network: string, names: readonly string[]): readonly string[] {
  const more = counted(names.length, "more attachment");
  return names.length === 0 ? [] : [oneLine(`  and ${more} of ${network}: ${names.join(", ")}`)];
}

/** Replaces what belongs to one container: its id, MACs, addresses and the host's name of its veth. */
export function withoutNames(reason: string): string {
  return reason
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{64}\b/g, "<id>")
    .replace(/\b[0-9a-f]{2}(:[0-9a-f]{2}){5}\b/g, "<MAC>")
    .replace(/\b\d{1,3}(\.\d{1,3}){3}(\/\d+)?\b/g, "<address>")
    .replace(/(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(\/\d+)?/gi, "<address>")
    .replace(/\bveth[0-9a-f]+\b/g, "<veth>");
}

/** Writes lines such as `name: reason` to stderr, at most `mostShown` for one reason. */
export function tellAlike(lines: readonly string[], { writeError }: Pick<Terminal, "writeError">): void {
  const reasonIn = (line: string) => line.slice(line.indexOf(": "));
  for (const group of alike(lines, (line) => [reasonIn(line)])) {
    for (const line of group.slice(0, mostShown)) writeError(`${line}\n`);
    if (group.length > mostShown) writeError(`and ${group.length - mostShown} more${reasonIn(group[0])}\n`);
  }
}

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
