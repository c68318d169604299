import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Bundle } from "./bundle.ts";
import type { Order, Outcome } from "./worker.ts";

/** A mutant that ended its worker, or exceeded the time limit. */
export type Ended = Outcome | "died" | "late";

// An endless loop is usually noticed because it asks for a mutant too often. This limit is for a loop without a mutant.
const limitMs = 60_000;

/** A worker that starts again when a mutant ends it. */
export class WarmWorker {
  readonly #bundles: readonly Bundle[];
  #worker: Promise<Worker> | undefined;

  constructor(bundles: readonly Bundle[]) {
    this.#bundles = bundles;
  }

  /** Runs one order. */
  async run(order: Order): Promise<Ended> {
    this.#worker ??= this.#start();
    const answer = await answerOf(await this.#worker, order);
    if (typeof answer === "string") await this.stop();
    return answer;
  }

  async stop(): Promise<void> {
    const worker = await this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Promise<Worker> {
    const { promise, resolve, reject } = Promise.withResolvers<Worker>();
    const resourceLimits = { maxOldGenerationSizeMb: 1024 };
    const worker = new Worker(join(import.meta.dirname, "worker.ts"), { workerData: this.#bundles, resourceLimits });
    worker.once("message", () => resolve(worker));
    worker.on("error", reject);
    // A worker that ended between two orders gets no more orders.
    worker.on("exit", () => {
      this.#worker = undefined;
    });
    return promise;
  }
}

function answerOf(worker: Worker, order: Order): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const timer = setTimeout(() => resolve("late"), limitMs);
  const died = () => resolve("died");
  worker.once("message", resolve).once("error", died).once("exit", died).postMessage(order);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off("message", resolve).off("error", died).off("exit", died);
  });
}

/** Runs the orders in several workers and calls `done` after each. The outcomes have the orders' order. */
export async function runAll(
  workers: readonly WarmWorker[],
  orders: readonly Order[],
  done: (outcome: Ended) => void,
): Promise<Ended[]> {
  const outcomes: Ended[] = [];
  const queue = orders.entries();
  await Promise.all(
    workers.map(async (worker) => {
      // The workers share one iterator. Each takes the next order when it is free.
      for (const [index, order] of queue) {
        const outcome = await worker.run(order);
        outcomes[index] = outcome;
        done(outcome);
      }
    }),
  );
  return outcomes;
}
