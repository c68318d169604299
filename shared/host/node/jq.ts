import type { JqAnswer } from "../host.ts";

/** How long a program may run, in seconds. */
const patience = 10;
/** How much memory a program may use, in MiB. jq-wasm is built with this limit. */
const memory = 256;

/** The task of the thread that runs jq. */
export interface JqTask {
  readonly program: string;
  readonly input: string;
  /** How much memory the program may use, in MiB. */
  readonly memory: number;
  readonly reply: import("node:worker_threads").MessagePort;
  /** Set to 1 and notified when there is a reply. */
  readonly done: Int32Array;
}

/**
 * Runs a jq program. jq is an asset of the executable, so a call without a program does not read it. It runs in its own
 * thread, because it loads asynchronously and because a program may never end.
 */
export function jq(program: string, input: string): JqAnswer {
  const { MessageChannel, receiveMessageOnPort, Worker } = process.getBuiltinModule("node:worker_threads");
  const { getAsset } = process.getBuiltinModule("node:sea");
  const done = new Int32Array(new SharedArrayBuffer(4));
  const { port1, port2 } = new MessageChannel();
  const workerData: JqTask = { program, input, memory, reply: port2, done };
  const options = { eval: true, workerData, transferList: [port2], env: {}, execArgv: [] };
  const worker = new Worker(getAsset("jq", "utf8"), options);
  const outcome = Atomics.wait(done, 0, 0, patience * 1000);
  const reply = receiveMessageOnPort(port1)?.message as JqAnswer | undefined;
  port1.close();
  worker.unref();
  void worker.terminate();
  return reply ?? { problem: outcome === "timed-out" ? `it takes longer than ${patience} s` : "it did not finish" };
}
