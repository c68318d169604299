import { setTimeout } from "node:timers/promises";

const interval = 100;
const patience = 60_000;

/** Waits until something is there or true, and fails after two minutes with what was waited for. */
export async function until<T>(what: string, probe: () => Promise<T | undefined | false>): Promise<T> {
  const end = performance.now() + patience;
  while (performance.now() < end) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    await setTimeout(interval);
  }
  throw new Error(`not seen within ${patience / 1000} s: ${what}`);
}
