import { workerData } from "node:worker_threads";
import { loadJq } from "jq-wasm/inline";
import type { JqAnswer } from "../host.ts";
import type { JqTask } from "./jq.ts";

// The thread of `jq.ts`: runs one program and replies. It is a bundle of its own.

const { program, input, memory, reply, done } = workerData as JqTask;
void answer().then((given) => {
  reply.postMessage(given);
  Atomics.store(done, 0, 1);
  Atomics.notify(done, 0);
});

async function answer(): Promise<JqAnswer> {
  try {
    const { exitCode, stdout, stderr } = (await loadJq()).raw(input, program, ["-c"]);
    return exitCode === 0 ? { output: stdout } : { problem: stderr || `jq: exit code ${exitCode}` };
  } catch (error) {
    // jq says nothing when it gets no more memory: it aborts.
    const isAborted = String(error).startsWith("RuntimeError: Aborted");
    return { problem: isAborted ? `jq aborted; a program has ${memory} MiB of memory` : String(error) };
  }
}
