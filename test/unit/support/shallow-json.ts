import { vi } from "vitest";

/**
 * Runs an action on an engine that cannot parse JSON with more than three levels of brackets. QuickJS has such a limit: its
 * stack. V8 has none.
 */
export function withShallowJson<T>(run: () => T): T {
  const parse = JSON.parse;
  const spy = vi.spyOn(JSON, "parse").mockImplementation((text: string) => {
    if (/\[{4}/.test(text)) throw new RangeError("stack overflow");
    return parse(text);
  });
  try {
    return run();
  } finally {
    spy.mockRestore();
  }
}
