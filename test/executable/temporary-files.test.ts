import { expect } from "vitest";
import { apart, bin, delegates, handedOver, inTurn, type Machine, test, verbs } from "./support/machine.ts";

const directories = ["/dev/shm", "/run", "/tmp"];

/**
 * Starts a call in a private mount namespace. There each of these directories is empty, with these mount options; the last one
 * may have others. All that the call needs is moved away first, because it may be in one of them. Then lists the files in the directories.
 */
function amongEmptyDirectories(machine: Machine, options: string, last = options) {
  const outside = { bin, delegates, scratch: machine.directory };
  const script = `
    mount -t tmpfs none /mnt
    for name in ${Object.keys(outside).join(" ")}; do mkdir "/mnt/$name"; done
    ${Object.entries(outside)
      .map(([name, directory]) => `mount --bind '${directory}' /mnt/${name}`)
      .join("\n")}
    for directory in ${directories.join(" ")}; do mount -t tmpfs -o ${options} none "$directory"; done
    mount -o remount,${last} /tmp
    ls -A ${directories.join(" ")} >/mnt/scratch/before
    sh -c 'echo $$ >/mnt/scratch/pid; exec /mnt/bin/bridge-wrapper'
    code=$?
    ls -A ${directories.join(" ")} >/mnt/scratch/after
    exit $code`;
  return {
    through: apart(script),
    env: { CNI_PATH: "/mnt/delegates", SCRATCH: "/mnt/scratch" },
  };
}

function expectNothingLeft(machine: Machine): void {
  expect(machine.read("after")?.toString()).toBe(machine.read("before")?.toString());
  expect(machine.read("after")?.toString()).toContain("/dev/shm:");
}

test.for(verbs)("%s leaves no file behind", async (command, { machine }) => {
  const ended = await machine.call({ command, ...amongEmptyDirectories(machine, "rw") });
  expect(ended).toMatchObject({ exitCode: 0, stdout: "{}", stderr: "" });
  expectNothingLeft(machine);
  expect(machine.received(command)?.toString()).toBe('{"cniVersion":"1.0.0","name":"zone","type":"plain"}');
});

test.for(["ADD", "DEL"])("%s leaves none when the delegate dies", async (command, { machine }) => {
  const { env, through } = amongEmptyDirectories(machine, "rw");
  await machine.call({ command, delegate: "dies", env: { ...env, SIGNAL: "KILL" }, through });
  expect(machine.calls()).toEqual([command]);
  expectNothingLeft(machine);
});

test("where only the last place can be written, the delegate still is the wrapper's process", async ({ machine }) => {
  await machine.call({ command: "CHECK", delegate: "notes-pid", ...amongEmptyDirectories(machine, "ro", "rw") });
  expect(machine.read("delegate-pid")).toEqual(machine.read("pid"));
});

const narrow = [
  ["is read-only", "ro"],
  ["has no room", "size=4k"],
] as const;

test.for(inTurn(handedOver, [...narrow, ...narrow]))(
  "%s: where every place for a temporary file %s, the delegate gets its stdin all the same",
  async ([command, _, options], { machine }) => {
    const configuration = { filler: "x".repeat(100_000) };
    const call = { command, configuration, ...amongEmptyDirectories(machine, options) };
    const ended = await machine.call({ ...call, env: { ...call.env, EXIT_CODE: "5" } });
    expect(ended).toMatchObject({ exitCode: 5, stderr: "" });
    const received = machine.received(command)?.toString();
    expect(received).toBe(JSON.stringify({ cniVersion: "1.0.0", name: "zone", type: "plain", ...configuration }));
    expectNothingLeft(machine);
  },
);
