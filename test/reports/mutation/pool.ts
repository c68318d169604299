import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { type Bundle, root } from "./bundle.ts";
import type { Order, Outcome } from "./worker.ts";

/** A mutant that ended its worker, or exceeded the time limit. */
export type Ended = Outcome | "died" | "late";

/**
 * A fault in the commands could remove any file, rule or process of this machine. So a worker has namespaces of its own,
 * and can write only to a /tmp and a /var/lib of its own. The repository may be below /tmp.
 */
const alone = `
  exec 9< "$0"
  while read -r _ _ _ _ at _; do mount -o remount,bind,ro "$at" 2>/dev/null; done < /proc/self/mountinfo
  mount -t tmpfs tmpfs /tmp && mount -t tmpfs tmpfs /var/lib && ip link set lo up || exit
  [ -d "$0" ] || { mkdir -p "$0" && mount --no-canonicalize --bind /proc/self/fd/9 "$0" || exit; }
  exec "$@" 9<&-`;
const namespaces = ["--mount", "--net", "--pid", "--ipc", "--uts", "--mount-proc", "--kill-child"];

/** A command in such namespaces. */
export function commandAlone(...program: readonly string[]): readonly [string, ...string[]] {
  return ["unshare", ...namespaces, "sh", "-c", alone, root, ...program];
}

/** A worker that starts again when a mutant ends it. */
export class WarmWorker {
  readonly #bundles: readonly Bundle[];
  readonly #variables: Readonly<Record<string, string>>;
  #worker: Promise<ChildProcess> | undefined;
  #latest: ChildProcess | undefined;

  /** The variables are for the tests. */
  constructor(bundles: readonly Bundle[], variables: Readonly<Record<string, string>> = {}) {
    this.#bundles = bundles;
    this.#variables = variables;
  }

  async run(order: Order): Promise<Ended> {
    this.#worker ??= this.#start();
    const answer = await answerOf(await this.#worker, order);
    if (typeof answer === "string" || answer.isSpoiled) await this.stop();
    return answer;
  }

  async stop(): Promise<void> {
    const worker = await this.#worker;
    this.#worker = undefined;
    worker?.kill("SIGKILL");
  }

  #start(): Promise<ChildProcess> {
    const { promise, resolve, reject } = Promise.withResolvers<ChildProcess>();
    const program = [process.execPath, "--max-old-space-size=2048", join(import.meta.dirname, "worker.ts")];
    const [command, ...args] = commandAlone(...program);
    const worker = spawn(command, args, {
      env: { ...process.env, ...this.#variables },
      ...{ stdio: ["ignore", "pipe", "pipe", "ipc"], serialization: "advanced" },
    });
    for (const output of [worker.stdout, worker.stderr]) output?.resume();
    worker.once("message", () => resolve(worker)).once("error", reject);
    worker.send(this.#bundles);
    this.#latest = worker;
    // A worker that ended between two orders gets no more orders. By now, another one may have taken its place.
    worker.on("exit", () => {
      if (this.#latest === worker) this.#worker = undefined;
      reject(new Error("a worker of the mutation run did not start: it needs root and unshare"));
    });
    return promise;
  }
}

// An endless loop is usually noticed because it asks for a mutant too often. The limit of time is for one without a mutant,
// and for a promise that nothing settles.
function answerOf(worker: ChildProcess, order: Order): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const timer = setTimeout(() => resolve("late"), order.limitMs);
  const died = () => resolve("died");
  worker.once("message", resolve).once("error", died).once("exit", died).send(order);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off("message", resolve).off("error", died).off("exit", died);
  });
}

/** What `runAll` tells, and asks before each order. */
interface Watch {
  readonly isOver: () => boolean;
  readonly done: (outcome: Ended, index: number) => void;
}

/** Runs the orders in several workers. Each is made when it has its turn. The outcomes have the orders' indexes. An order that had no turn has none. */
export async function runAll(
  workers: readonly WarmWorker[],
  orders: readonly (() => Order)[],
  { isOver, done }: Watch = { isOver: () => false, done: () => {} },
): Promise<(Ended | undefined)[]> {
  const outcomes: Ended[] = [];
  const queue = orders.entries();
  await Promise.all(
    workers.map(async (worker) => {
      // The workers share one iterator. Each takes the next order when it is free.
      for (const [index, order] of queue) {
        if (isOver()) return;
        const outcome = await worker.run(order());
        outcomes[index] = outcome;
        done(outcome, index);
      }
    }),
  );
  return outcomes;
}
