import { setTimeout } from "node:timers/promises";

const interval = 100;
const patience = 60_000;

/** Waits until a value is there or true. After two minutes it fails and names the value. */
export async function until<T>(what: string, probe: () => Promise<T | undefined | false>): Promise<T> {
  const end = performance.now() + patience;
  while (performance.now() < end) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    await setTimeout(interval);
  }
  throw new Error(`not seen within ${patience / 1000} s: ${what}`);
}
