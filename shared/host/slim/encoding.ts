import type { Host } from "../host.ts";

/** Returns environment variables as the machine takes them: names and values alternate. */
export function alternating(changes: Host["env"]): string[] {
  const list: string[] = [];
  for (const name in changes) list.push(name, wellFormed(changes[name] ?? ""));
  return list;
}

/** Replaces lone surrogates, which UTF-8 cannot encode. QuickJS-ng has the method, which is newer than ES2022. */
export function wellFormed(text: string): string {
  return (text as string & { toWellFormed(): string }).toWellFormed();
}
