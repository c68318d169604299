import { setTimeout } from "node:timers/promises";

const interval = 100;

// The second kernel is ten times slower.
const patience = process.env.CNI_WRAPPERS_SECOND_KERNEL ? 1200 : 120;

/** Waits until a value is there or true. After so many seconds it fails and names the value. */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | false>,
  seconds = patience,
): Promise<T> {
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    await setTimeout(interval);
  }
  throw new Error(`not seen within ${seconds} s: ${what}`);
}
