import { expect } from "vitest";
import { handedOver, test, through } from "./support/machine.ts";

// Each pipe has another number. The shell reads the delegate through one more descriptor. stdin is a file without a name.
function comparable(state: string): string[] {
  const lines = state.split("\n").filter((line) => !line.startsWith("0 -> ") && !line.endsWith("/process-state"));
  return lines.map((line) => line.replace(/:\[\d+\]/, ""));
}

test("the delegate has what the wrapper's process had, and nothing of Node's", async ({ machine }) => {
  const call = { command: "CHECK", delegate: "process-state" };
  const [wrapped, bare] = [await machine.call(call), await machine.bare(call)];
  expect(comparable(wrapped.stdout)).toEqual(comparable(bare.stdout));
  expect(comparable(wrapped.stdout)).toEqual(
    expect.arrayContaining(["pos:\t0", "SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000"]),
  );
});

test("ADD: the delegate ignores and blocks no signal, even if the runtime does, and has no descriptor of the wrapper's", async ({
  machine,
}) => {
  const script = "use POSIX; sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGUSR1)); exec {$ARGV[0]} @ARGV";
  // There, the wrapper looks for the interface before it starts the delegate.
  const env = { CNI_NETNS: "/proc/self/ns/net" };
  await machine.call({ delegate: "notes-signals", env, through: ["perl", "-e", script] });
  expect(String(machine.read("signals"))).toBe("SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  const descriptors = String(machine.read("descriptors"));
  await machine.bare({ delegate: "notes-signals" });
  expect(descriptors).toBe(String(machine.read("descriptors")));
});

test.for(handedOver)("%s: the delegate is the wrapper's process, not a child of it", async (command, { machine }) => {
  await machine.call({ command, delegate: "notes-pid", through: through('echo $$ >"$SCRATCH/pid"; exec "$@"') });
  expect(machine.read("delegate-pid")).toEqual(machine.read("pid"));
});
