import type { Host } from "../host.ts";

/** Environment variables as the machine takes them: names and values alternate. */
export function alternating(changes: Host["env"]): string[] {
  return Object.entries(changes).flatMap(([name, value = ""]) => [name, wellFormed(value)]);
}

/** Replaces half surrogate pairs, which UTF-8 cannot encode. QuickJS-ng has the method, which is newer than ES2022. */
export function wellFormed(text: string): string {
  return (text as string & { toWellFormed(): string }).toWellFormed();
}
