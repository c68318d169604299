import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Search } from "./search.ts";
import type { Target } from "./targets.ts";
import type { Order, Said, Work } from "./worker.ts";

/** The end of an order. */
export interface Done {
  readonly order: Order;
  readonly search: Search;
  /** The fixture of a found case. */
  readonly text: string;
  /** Whether the fixture shows the failure. */
  readonly isKept: boolean;
}

/** Workers that search, one for each CPU. */
export class Pool {
  readonly #workers: readonly Worker[];

  constructor(workerData: Work) {
    const file = join(import.meta.dirname, "worker.ts");
    this.#workers = Array.from({ length: availableParallelism() }, () => new Worker(file, { workerData }));
  }

  /** The properties. */
  async targets(): Promise<readonly Pick<Target, "test" | "name">[]> {
    const all = await Promise.all(this.#workers.map((worker) => firstOf(worker, "targets")));
    return all[0]?.targets ?? [];
  }

  /** Executes the orders. The answers have their order. */
  async search(orders: readonly Order[], more: (inputs: number) => void): Promise<readonly Done[]> {
    const done: Done[] = [];
    const queue = orders.entries();
    const work = async (worker: Worker) => {
      const count = (said: Said) => "more" in said && more(said.more);
      worker.on("message", count);
      for (const [index, order] of queue) {
        worker.postMessage(order);
        done[index] = { order, ...(await firstOf(worker, "search")) };
      }
      worker.off("message", count);
    };
    await Promise.all(this.#workers.map(work));
    return done;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

type Kind = "targets" | "search";

/** The first message of a kind. A worker that fails ends the command. */
function firstOf<K extends Kind>(worker: Worker, kind: K): Promise<Extract<Said, Record<K, unknown>>> {
  return new Promise((resolve, reject) => {
    const hear = (said: Said) => {
      if (!(kind in said)) return;
      worker.off("message", hear).off("error", reject);
      resolve(said as Extract<Said, Record<K, unknown>>);
    };
    worker.on("message", hear).once("error", reject);
  });
}
